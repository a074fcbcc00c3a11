/// Room in a swap area that nobody uses: laid out from its first page on, in as few runs as the bad pages
/// allow.
#pragma once

#include <cstdint>
#include <vector>

#include "dormouse/swap_allocator.h"
#include "dormouse/swap_area.h"

namespace dormouse {

/// For an area that is not swapped on and lies in one piece on its device (a partition or a regular file).
/// Honours the header, the bad-page list and the last page.
class FreeLayoutAllocator final : public SwapAllocator {
 public:
  explicit FreeLayoutAllocator(const SwapArea& area);
  Result<Extent> allocate(std::uint64_t max_pages) override;
  Result<std::uint64_t> free_pages() override { return free_pages_; }
  Result<void> release_all() override;

 private:
  std::uint64_t header_page_;
  std::uint64_t last_page_;               // counted from the header page, as the bad pages are
  std::vector<std::uint32_t> bad_pages_;  // ascending, each once
  std::uint64_t next_page_ = 1;
  std::size_t next_bad_ = 0;
  std::uint64_t free_pages_ = 0;
};

}  // namespace dormouse
