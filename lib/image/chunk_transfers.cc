#include "image/chunk_transfers.h"

namespace dormouse {
namespace {

RequestQueue& choose_queue(BlockDevice& device, ThreadedQueue& threads) {
  if (RequestQueue* own = device.queue()) return *own;
  threads.use(device);
  return threads;
}

}  // namespace

ChunkTransfers::ChunkTransfers(std::string_view operation, BlockDevice& device, ThreadedQueue& threads,
                               StageRing& ring, ChunkMemory& memory, std::uint32_t page_bytes, Owner& owner)
    : operation_(operation),
      queue_(choose_queue(device, threads)),
      ring_(ring),
      memory_(memory),
      page_bytes_(page_bytes),
      owner_(owner) {}

template <class Bytes, class Begin>
void ChunkTransfers::begin(std::size_t slot, Bytes bytes, Begin begin) {
  ChunkSlot& chunk = memory_[slot];
  const auto& extents = chunk.placement.extents;
  {
    const std::lock_guard lock(mutex_);
    chunk.parts = extents.size();
    chunk.moved = {};
  }
  std::size_t begun = 0;
  const auto done = for_each_extent(extents, page_bytes_, bytes, [&](DeviceOffset at, Bytes piece) {
    auto r = begin(at, piece);
    if (r) ++begun;
    return r;
  });
  // Those that could not begin will not end either.
  if (!done) end_parts(slot, extents.size() - begun, done);
}

void ChunkTransfers::write(std::size_t slot) {
  begin(slot, memory_[slot].stored,
        [&](DeviceOffset at, std::span<const std::byte> piece) { return queue_.write(slot, at, piece); });
}

void ChunkTransfers::read(std::size_t slot, std::span<std::byte> target) {
  memory_[slot].stored = target;
  begin(slot, target,
        [&](DeviceOffset at, std::span<std::byte> piece) { return queue_.read(slot, at, piece); });
}

void ChunkTransfers::request_ended(std::uint64_t tag, const Result<void>& how) {
  end_parts(static_cast<std::size_t>(tag), 1, how);
}

void ChunkTransfers::end_parts(std::size_t slot, std::size_t parts, const Result<void>& how) {
  ChunkSlot& chunk = memory_[slot];
  {
    const std::lock_guard lock(mutex_);
    if (!how && chunk.moved) {
      chunk.moved = how;
      chunk.moved.error().operation = operation_;
    }
    chunk.parts -= parts;
    if (chunk.parts > 0) return;
  }
  // All requests have ended: from here on the slot has one user again.
  if (chunk.moved) owner_.chunk_transferred(chunk);
  ring_.end_of(slot, chunk.moved);
}

}  // namespace dormouse
