/// Requests in flight through a ring of the kernel's.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "dormouse/block_device.h"
#include "dormouse/request_queue.h"

#include "base/io_ring.h"
#include "base/prepared_thread.h"

namespace dormouse {

/// The queue of a file that is open for direct I/O. What a request leaves to be done, since it was
/// interrupted, moved less than asked, found no room in the device's queue, or was refused for not waiting,
/// is done by the device's own read() and write().
class RingQueue final : public RequestQueue {
 public:
  /// What the queue needs of the device that owns it.
  class Owner {
   public:
    virtual ~Owner() = default;
    [[nodiscard]] virtual BlockDevice& device() = 0;
    [[nodiscard]] virtual int fd() const = 0;
    /// Block devices only: see IoRing::Transfer.
    [[nodiscard]] virtual bool never_wait() const = 0;
    /// What read() and write() check first.
    virtual Result<void> check_request(std::string_view operation, DeviceOffset offset,
                                       std::span<const std::byte> data) = 0;
    /// The error of a transfer; a write's is kept.
    virtual Error request_error(std::string_view operation, std::uint64_t offset, int errnum) = 0;
  };

  /// Null where the kernel gives no ring. kNoMemory. The owner outlives it.
  static Result<std::unique_ptr<RingQueue>> prepare(Owner& owner, std::unique_ptr<IoRing> ring);
  ~RingQueue() override { stop(); }

  /// In flight at most, and what the ring must have been made for.
  static constexpr unsigned kDepth = 32;

  Result<void> start(Client& client, std::span<std::byte> memory) override;
  Result<void> write(std::uint64_t tag, DeviceOffset offset, std::span<const std::byte> data) override;
  Result<void> read(std::uint64_t tag, DeviceOffset offset, std::span<std::byte> out) override;
  void stop() override;

 private:
  /// One that is in flight: its place in the table is its tag in the ring.
  struct Request {
    bool used = false;
    std::uint64_t tag = 0;
    IoRing::Transfer transfer{};
  };

  RingQueue(Owner& owner, std::unique_ptr<IoRing> ring) : owner_(owner), ring_(std::move(ring)) {}
  Result<void> begin(std::uint64_t tag, DeviceOffset offset, std::byte* data, std::size_t bytes, bool write);
  static void run(void* self);
  void reap();
  Result<void> settle(const IoRing::Transfer& transfer, ssize_t moved);

  Owner& owner_;
  std::unique_ptr<IoRing> ring_;
  std::optional<PreparedThread> thread_;
  Client* client_ = nullptr;
  std::mutex mutex_;  // also makes what one side wrote into a buffer visible to the other
  std::condition_variable ended_;
  std::array<Request, kDepth> requests_;
  unsigned in_flight_ = 0;
  std::atomic<bool> stopping_ = false;  // nothing is in flight any more
  std::atomic<bool> may_wait_ = false;  // the device refuses requests that must not wait
};

}  // namespace dormouse
