#include "image/chunk_memory.h"

#include <chrono>

namespace dormouse {

Result<ChunkMemory> ChunkMemory::allocate(std::size_t slots, unsigned workers, std::size_t chunk_bytes) {
  const std::size_t buffers = slots + workers;
  auto memory = AlignedBuffer::allocate(buffers * chunk_bytes);
  if (!memory) return std::unexpected(memory.error());
  ChunkMemory all;
  all.chunk_bytes_ = chunk_bytes;
  all.memory_ = std::move(*memory);
  all.slots_.resize(slots);
  all.free_.reserve(buffers);
  all.give_back_all();
  return all;
}

std::span<std::byte> ChunkMemory::take() {
  const std::lock_guard lock(*mutex_);
  const std::size_t at = free_.back();
  free_.pop_back();
  return memory_.span().subspan(at, chunk_bytes_);
}

void ChunkMemory::give_back(std::span<const std::byte> buffer) {
  const auto at = static_cast<std::size_t>(buffer.data() - memory_.data());
  const std::lock_guard lock(*mutex_);
  free_.push_back(at);
}

void ChunkMemory::give_back_all() {
  const std::lock_guard lock(*mutex_);
  free_.clear();
  for (std::size_t at = memory_.size(); at > 0; at -= chunk_bytes_) free_.push_back(at - chunk_bytes_);
}

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

}  // namespace dormouse
