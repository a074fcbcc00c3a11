/// The memory that chunks pass through, in both directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "dormouse/codec.h"
#include "dormouse/error.h"

#include "base/aligned_buffer.h"
#include "format/swap_map_page.h"
#include "swap/swap_map_reader.h"

namespace dormouse {

/// What one slot of the ring holds: one buffer, and a second only while a worker packs or unpacks.
struct ChunkSlot {
  std::span<std::byte> pages;   ///< unpacked
  std::span<std::byte> packed;  ///< both have the size of a whole chunk where they are there
  std::span<const std::byte>
      stored;  ///< what lies on the device: in `packed`, or in `pages` where nothing was gained
  ChunkPlacement placement;
  std::size_t parts = 0;     ///< requests of its transfer that have not ended
  Result<void> moved{};      ///< what went wrong with them first
  std::size_t codec_at = 0;  ///< of CodecCounts: what it was packed with
};

/// All slots of a ring, and their buffers in one allocation. The buffer that was given back last is the next
/// to be taken, so that few of them are in use at a time and stay in the processor's caches.
class ChunkMemory {
 public:
  /// `workers` pack or unpack at a time: buffers are as many as slots and workers.
  static Result<ChunkMemory> allocate(std::size_t slots, unsigned workers, std::size_t chunk_bytes);
  [[nodiscard]] ChunkSlot& operator[](std::size_t slot) { return slots_[slot]; }

  /// A buffer. Threads: any. Requires: not all are taken.
  [[nodiscard]] std::span<std::byte> take();
  /// Threads: any. `buffer`: one that was taken, or a part from its start.
  void give_back(std::span<const std::byte> buffer);
  /// Takes all buffers back, from a run that failed, too.
  void give_back_all();
  /// All buffers.
  [[nodiscard]] std::span<std::byte> span() { return memory_.span(); }
  [[nodiscard]] std::size_t slots() const { return slots_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return memory_.size() + slots_.size() * kPlacementBytes; }

 private:
  static constexpr std::uint64_t kPlacementBytes = sizeof(ChunkSlot) + kMaxChunkPages * sizeof(Extent);
  std::size_t chunk_bytes_ = 0;
  AlignedBuffer memory_;
  std::vector<ChunkSlot> slots_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  // of what follows
  std::vector<std::size_t> free_;  // offsets in memory_; never grows after allocate()
};

/// Slots that keep `workers` packing while the device works off `writes` requests and the source fills the
/// next.
constexpr std::size_t ring_slots(unsigned workers, unsigned requests) {
  return 2 * std::size_t{workers} + 2 * requests + 2;
}

/// Calls `each(offset, bytes)` for the piece of `bytes` that lies in each extent, until one fails.
/// Requires: the extents hold bytes.size() exactly.
template <class Bytes, class Each>
Result<void> for_each_extent(std::span<const Extent> extents, std::uint32_t page_bytes, Bytes bytes,
                             Each each) {
  for (const Extent& extent : extents) {
    const std::size_t length = extent.pages * page_bytes;
    if (auto r = each(page_offset(extent.first_page, page_bytes), bytes.first(length)); !r) return r;
    bytes = bytes.subspan(length);
  }
  return {};
}

/// CLOCK_MONOTONIC in nanoseconds.
std::uint64_t now_ns();

}  // namespace dormouse
