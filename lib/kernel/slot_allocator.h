/// Room in an active swap area, from the kernel, one slot a call.
#pragma once

#include <cstdint>
#include <optional>

#include "dormouse/snapshot_device.h"
#include "dormouse/swap_allocator.h"

namespace dormouse {

/// Joins slots that follow one another into extents. The slot that broke a run is kept for the next call.
/// Requires: set_swap_area() was called on `device`, which outlives this.
class SlotAllocator final : public SwapAllocator {
 public:
  explicit SlotAllocator(SnapshotDevice& device) : device_(device) {}

  Result<Extent> allocate(std::uint64_t max_pages) override;
  Result<std::uint64_t> free_pages() override;
  Result<void> release_all() override;

 private:
  Result<std::uint64_t> next_slot();

  SnapshotDevice& device_;
  std::optional<std::uint64_t> held_;  // page index of a slot that is ours and not yet handed out
};

}  // namespace dormouse
