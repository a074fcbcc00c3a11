/// Requests in flight on a device that has no queue of its own: threads that call its read() and write().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "dormouse/block_device.h"
#include "dormouse/request_queue.h"

namespace dormouse {

/// As many requests are in flight as there are threads; more wait in line, oldest first. One owner thread.
class ThreadedQueue final : public RequestQueue {
 public:
  /// Allocates the threads' stacks. kNoMemory.
  static Result<ThreadedQueue> prepare(unsigned threads);
  ThreadedQueue(ThreadedQueue&&) noexcept;
  ~ThreadedQueue() override;

  /// Whose read() and write() are called, from the next start() on.
  void use(BlockDevice& device);
  [[nodiscard]] std::size_t stack_bytes() const;

  Result<void> start(Client& client, std::span<std::byte> memory) override;
  Result<void> write(std::uint64_t tag, DeviceOffset offset, std::span<const std::byte> data) override;
  Result<void> read(std::uint64_t tag, DeviceOffset offset, std::span<std::byte> out) override;
  void stop() override;

 private:
  struct State;
  explicit ThreadedQueue(std::unique_ptr<State> state);
  static void serve(void* state);

  std::unique_ptr<State> state_;
};

}  // namespace dormouse
