/// Room in an active swap area, from the kernel, one slot a call.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "dormouse/snapshot_device.h"
#include "dormouse/swap_allocator.h"

namespace dormouse {

/// Joins slots that follow one another into extents.
///
/// The kernel guards slots and the reading of pages with one lock, which a read waits for and a slot's ioctl
/// only tries: asked for by another thread than the one that reads, slots would be refused again and again.
/// So the reading thread stocks up between two reads. Requires: set_swap_area() was called on `device`, which
/// outlives this.
class SlotAllocator final : public SwapAllocator {
 public:
  explicit SlotAllocator(SnapshotDevice& device) : device_(device) {}

  Result<Extent> allocate(std::uint64_t max_pages) override;
  /// At most kMaxStock.
  void stock_up(std::uint64_t pages) override;
  Result<std::uint64_t> free_pages() override;
  Result<void> release_all() override;

  static constexpr std::size_t kMaxStock = 4096;

 private:
  Result<std::uint64_t> ask();
  [[nodiscard]] std::uint64_t front() const { return stock_[taken_ % kMaxStock]; }

  SnapshotDevice& device_;
  std::mutex mutex_;  // guards all below
  std::array<std::uint64_t, kMaxStock>
      stock_{};  // a ring of page indexes that are ours and not yet handed out
  std::uint64_t taken_ = 0;
  std::uint64_t stocked_ = 0;
};

}  // namespace dormouse
