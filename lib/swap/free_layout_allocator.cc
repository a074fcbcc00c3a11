#include "swap/free_layout_allocator.h"

#include <algorithm>

#include "format/swap_header.h"

namespace dormouse {

FreeLayoutAllocator::FreeLayoutAllocator(const SwapArea& area)
    : header_page_(area.header_page()), last_page_(area.last_page()) {
  // TuxOnIce's page is no swap header any more: there is no last page, and no list to be read.
  if (last_page_ > 0) bad_pages_ = bad_pages_of(area.page());
  std::ranges::sort(bad_pages_);
  const auto repeated = std::ranges::unique(bad_pages_);
  bad_pages_.erase(repeated.begin(), repeated.end());
  free_pages_ = last_page_ - bad_pages_.size();
}

Result<Extent> FreeLayoutAllocator::allocate(std::uint64_t max_pages) {
  while (next_bad_ < bad_pages_.size() && bad_pages_[next_bad_] == next_page_) {
    ++next_page_;
    ++next_bad_;
  }
  if (free_pages_ == 0) return fail(Errc::kNoSpace, "find room in the swap area");
  const std::uint64_t run_end = next_bad_ < bad_pages_.size() ? bad_pages_[next_bad_] : last_page_ + 1;
  const std::uint64_t pages = std::min(max_pages, run_end - next_page_);
  const Extent extent{.first_page = header_page_ + next_page_, .pages = pages};
  next_page_ += pages;
  free_pages_ -= pages;
  return extent;
}

Result<void> FreeLayoutAllocator::release_all() {
  next_page_ = 1;
  next_bad_ = 0;
  free_pages_ = last_page_ - bad_pages_.size();
  return {};
}

std::unique_ptr<SwapAllocator> make_free_layout_allocator(const SwapArea& area) {
  return std::make_unique<FreeLayoutAllocator>(area);
}

}  // namespace dormouse
