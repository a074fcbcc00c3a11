#include "kernel/slot_allocator.h"

#include <utility>

namespace dormouse {

Result<std::uint64_t> SlotAllocator::next_slot() {
  if (held_) return *std::exchange(held_, std::nullopt);
  auto offset = device_.allocate_swap_page();
  if (!offset) return std::unexpected(offset.error());
  return to_bytes(*offset) / device_.page_bytes();
}

Result<Extent> SlotAllocator::allocate(std::uint64_t max_pages) {
  if (max_pages == 0) return fail(Errc::kUsage, "allocate swap").because("no pages were asked for");
  auto first = next_slot();
  if (!first) return std::unexpected(first.error());
  Extent extent{.first_page = *first, .pages = 1};
  while (extent.pages < max_pages) {
    auto next = next_slot();
    // The area may be full, or worse; what we have is good, and the next call meets the error again.
    if (!next) break;
    if (*next != extent.end_page()) {
      held_ = *next;
      break;
    }
    ++extent.pages;
  }
  return extent;
}

Result<std::uint64_t> SlotAllocator::free_pages() {
  auto bytes = device_.available_swap_bytes();
  if (!bytes) return std::unexpected(bytes.error());
  return *bytes / device_.page_bytes() + (held_ ? 1 : 0);
}

Result<void> SlotAllocator::release_all() {
  auto r = device_.free_swap_pages();
  if (r) held_.reset();
  return r;
}

}  // namespace dormouse
