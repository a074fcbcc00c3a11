/// Requests in flight on a device: the part of the storage seam that makes it fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dormouse/error.h"
#include "dormouse/units.h"

namespace dormouse {

/// Transfers that one thread begins and that end on another. The rules of BlockDevice hold for offsets,
/// lengths, addresses and errors. A buffer belongs to the queue until its request has ended. Requests may end
/// in any order. Memory: no call allocates.
class RequestQueue {
 public:
  /// Is told of every request that was begun, once, on threads of the queue; it must not begin others there.
  class Client {
   public:
    virtual ~Client() = default;
    virtual void request_ended(std::uint64_t tag, const Result<void>& how) = 0;
  };

  virtual ~RequestQueue() = default;

  /// Starts what threads there are: call it after the freeze. All buffers lie within `memory`, which is made
  /// known to the kernel where that is possible. Both live until stop().
  virtual Result<void> start(Client& client, std::span<std::byte> memory) = 0;

  /// Begin a transfer; wait only while the queue is full. An error: nothing was begun. One thread at a time.
  virtual Result<void> write(std::uint64_t tag, DeviceOffset offset, std::span<const std::byte> data) = 0;
  virtual Result<void> read(std::uint64_t tag, DeviceOffset offset, std::span<std::byte> out) = 0;

  /// Waits until every request has ended, and ends the threads. Does nothing where it was not started.
  virtual void stop() = 0;
};

}  // namespace dormouse
