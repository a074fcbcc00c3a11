/// Chunks on their way between memory and device, many at a time.
#pragma once

#include <mutex>

#include "dormouse/block_device.h"
#include "dormouse/request_queue.h"

#include "image/chunk_memory.h"
#include "pipeline/stage_ring.h"
#include "pipeline/threaded_queue.h"

namespace dormouse {

/// Carries the stage of a ring that begins transfers: one request for each extent of a chunk. When the last
/// has ended the owner is told, and then the ring. Allocates nothing.
class ChunkTransfers final : public RequestQueue::Client {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    /// On a thread of the queue's, for several chunks at once.
    virtual void chunk_transferred(ChunkSlot& chunk) = 0;
  };

  /// Uses the device's own queue, or else `threads`. All outlive it.
  /// `operation` is a literal and names the step in errors.
  ChunkTransfers(std::string_view operation, BlockDevice& device, ThreadedQueue& threads, StageRing& ring,
                 ChunkMemory& memory, std::uint32_t page_bytes, Owner& owner);
  ~ChunkTransfers() override { queue_.stop(); }

  Result<void> start() { return queue_.start(*this, memory_.span()); }
  /// Writes what `stored` of the chunk shows.
  void write(std::size_t slot);
  /// Fills `target`, which is where `stored` shows from now on.
  void read(std::size_t slot, std::span<std::byte> target);
  /// Waits for all of them.
  void stop() { queue_.stop(); }

  void request_ended(std::uint64_t tag, const Result<void>& how) override;

 private:
  template <class Bytes, class Begin>
  void begin(std::size_t slot, Bytes bytes, Begin begin);
  void end_parts(std::size_t slot, std::size_t parts, const Result<void>& how);

  std::string_view operation_;
  RequestQueue& queue_;
  StageRing& ring_;
  ChunkMemory& memory_;
  std::uint32_t page_bytes_;
  Owner& owner_;
  std::mutex mutex_;  // of the slots' `parts` and `moved`
};

/// Requests that keep a device busy, chunks being what they are.
inline constexpr unsigned kDeviceRequests = 8;
/// Threads, where the device has no queue: each costs a stack and a little time to wake.
inline constexpr unsigned kDeviceThreads = 3;

}  // namespace dormouse
