/// Snapshot images in memory: sources that behave and misbehave, and a sink that keeps what it is given.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dormouse/page_stream.h"
#include "dormouse/units.h"

namespace dormouse::test {

/// What a source does wrong, if anything.
struct SourceFault {
  std::uint64_t announced_pages = 0;  ///< 0: as many as there are
  std::uint64_t fail_at_page = ~std::uint64_t{0};
  std::size_t torn_bytes = 0;  ///< bytes of an unfinished page behind the last one
};

class MemoryPageSource final : public PageSource {
 public:
  explicit MemoryPageSource(std::span<const std::byte> image, std::uint32_t page_bytes = kMinPageBytes,
                            SourceFault fault = {})
      : image_(image), page_bytes_(page_bytes), fault_(fault) {}
  [[nodiscard]] std::uint32_t page_bytes() const override { return page_bytes_; }
  [[nodiscard]] std::uint64_t total_pages() const override {
    return fault_.announced_pages != 0 ? fault_.announced_pages : image_.size() / page_bytes_;
  }
  Result<std::size_t> read(std::span<std::byte> out) override {
    const std::size_t bytes = std::min(out.size(), image_.size() - position_);
    if ((position_ + bytes) / page_bytes_ > fault_.fail_at_page) {
      return fail(Errc::kIo, "read test source").os(EIO).at(position_);
    }
    std::copy_n(image_.begin() + static_cast<std::ptrdiff_t>(position_), bytes, out.begin());
    position_ += bytes;
    const bool tears = position_ == image_.size() && bytes < out.size() && !std::exchange(torn_, true);
    return bytes + (tears ? fault_.torn_bytes : 0);
  }

 private:
  std::span<const std::byte> image_;
  std::uint32_t page_bytes_;
  SourceFault fault_;
  std::size_t position_ = 0;
  bool torn_ = false;
};

/// Room is reserved for the whole image, so that taking pages allocates nothing.
class MemoryPageSink final : public PageSink {
 public:
  explicit MemoryPageSink(std::size_t room_bytes) { pages_.reserve(room_bytes); }
  Result<void> write(std::span<const std::byte> pages) override {
    if (pages.size() > pages_.capacity() - pages_.size())
      return fail(Errc::kIo, "take pages").because("too many");
    if (writes_++ == fail_at_write_) return fail(Errc::kIo, "take pages").os(EFAULT);
    pages_.insert(pages_.end(), pages.begin(), pages.end());
    return {};
  }
  Result<void> finish() override {
    finished_ = true;
    return {};
  }
  void fail_at_write(std::uint64_t number) { fail_at_write_ = number; }
  [[nodiscard]] const std::vector<std::byte>& pages() const { return pages_; }
  [[nodiscard]] bool finished() const { return finished_; }

 private:
  std::vector<std::byte> pages_;
  std::uint64_t writes_ = 0;
  std::uint64_t fail_at_write_ = ~std::uint64_t{0};
  bool finished_ = false;
};

}  // namespace dormouse::test
