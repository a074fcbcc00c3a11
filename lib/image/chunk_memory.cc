#include "image/chunk_memory.h"

#include <chrono>

namespace dormouse {

Result<ChunkMemory> ChunkMemory::allocate(std::size_t slots, std::size_t chunk_bytes) {
  auto memory = AlignedBuffer::allocate(2 * slots * chunk_bytes);
  if (!memory) return std::unexpected(memory.error());
  ChunkMemory all;
  all.memory_ = std::move(*memory);
  all.slots_.resize(slots);
  auto rest = all.memory_.span();
  for (ChunkSlot& slot : all.slots_) {
    slot.pages = rest.first(chunk_bytes);
    slot.packed = rest.subspan(chunk_bytes, chunk_bytes);
    rest = rest.subspan(2 * chunk_bytes);
  }
  return all;
}

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

}  // namespace dormouse
