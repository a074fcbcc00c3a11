/// An allocator that hands out room in pieces and out of order, as a used swap area does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "dormouse/swap_allocator.h"

#include "support/page_patterns.h"

namespace dormouse::test {

class ScatteredAllocator final : public SwapAllocator {
 public:
  /// Pages [first, end) of the device, in runs of at most `longest_run` in an order made from `seed`.
  ScatteredAllocator(std::uint64_t first, std::uint64_t end, std::uint64_t longest_run, std::uint64_t seed) {
    SeededRandom random(seed);
    for (std::uint64_t page = first; page < end;) {
      const std::uint64_t pages = std::min(1 + random.below(longest_run), end - page);
      runs_.push_back({.first_page = page, .pages = pages});
      page += pages;
    }
    for (std::size_t i = runs_.size(); i > 1; --i) std::swap(runs_[i - 1], runs_[random.below(i)]);
    free_ = all_ = end - first;
  }

  Result<Extent> allocate(std::uint64_t max_pages) override {
    if (free_ == 0) return fail(Errc::kNoSpace, "find room in the test area");
    Extent& run = runs_[next_];
    const Extent given{.first_page = run.first_page + used_, .pages = std::min(max_pages, run.pages - used_)};
    used_ += given.pages;
    free_ -= given.pages;
    if (used_ == run.pages) {
      ++next_;
      used_ = 0;
    }
    return given;
  }
  Result<std::uint64_t> free_pages() override { return free_; }
  Result<void> release_all() override {
    next_ = 0;
    used_ = 0;
    free_ = all_;
    ++releases_;
    return {};
  }
  [[nodiscard]] std::uint64_t releases() const { return releases_; }

 private:
  std::vector<Extent> runs_;
  std::size_t next_ = 0;
  std::uint64_t used_ = 0;
  std::uint64_t free_ = 0;
  std::uint64_t all_ = 0;
  std::uint64_t releases_ = 0;
};

}  // namespace dormouse::test
