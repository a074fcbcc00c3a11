#include "kernel/slot_allocator.h"

#include <algorithm>

namespace dormouse {

Result<std::uint64_t> SlotAllocator::ask() {
  auto offset = device_.allocate_swap_page();
  if (!offset) return std::unexpected(offset.error());
  return to_bytes(*offset) / device_.page_bytes();
}

void SlotAllocator::stock_up(std::uint64_t pages) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t wanted = std::min<std::uint64_t>(pages, kMaxStock);
  while (stocked_ - taken_ < wanted) {
    const auto slot = ask();
    if (!slot) return;
    stock_[stocked_++ % kMaxStock] = *slot;
  }
}

Result<Extent> SlotAllocator::allocate(std::uint64_t max_pages) {
  if (max_pages == 0) return fail(Errc::kUsage, "allocate swap").because("no pages were asked for");
  const std::lock_guard lock(mutex_);
  Extent extent;
  while (extent.pages < max_pages) {
    if (taken_ == stocked_) {
      const auto slot = ask();
      if (!slot) {
        if (extent.pages == 0) return std::unexpected(slot.error());
        // The area may be full, or worse; what we have is good, and the next call meets the error again.
        break;
      }
      stock_[stocked_++ % kMaxStock] = *slot;
    }
    if (extent.pages > 0 && front() != extent.end_page()) break;
    if (extent.pages == 0) extent.first_page = front();
    ++extent.pages;
    ++taken_;
  }
  return extent;
}

Result<std::uint64_t> SlotAllocator::free_pages() {
  const std::lock_guard lock(mutex_);
  auto bytes = device_.available_swap_bytes();
  if (!bytes) return std::unexpected(bytes.error());
  return *bytes / device_.page_bytes() + (stocked_ - taken_);
}

Result<void> SlotAllocator::release_all() {
  const std::lock_guard lock(mutex_);
  auto r = device_.free_swap_pages();
  if (r) taken_ = stocked_;
  return r;
}

}  // namespace dormouse
