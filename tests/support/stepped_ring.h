/// A ring without a kernel: transfers go through system calls of the test's choice, where faults can be
/// injected.
#pragma once

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "base/io_ring.h"
#include "base/system_calls.h"

namespace dormouse::test {

/// A transfer is made by begin() with one pread or pwrite of `calls`, and told of by wait(), in the same
/// order.
class SteppedRing final : public IoRing {
 public:
  /// After `working` transfers it gives no more: begin() and knock() fail with EBADF.
  explicit SteppedRing(SystemCalls& calls, std::uint64_t working = ~std::uint64_t{0})
      : calls_(calls), working_(working) {}

  int register_memory(std::span<std::byte>) override { return 0; }
  void forget_memory() override {}
  int begin(const Transfer& transfer, std::uint64_t tag) override {
    if (working_ == 0) return -EBADF;
    --working_;
    const auto at = static_cast<off_t>(transfer.offset);
    const ssize_t moved = transfer.write ? calls_.pwrite(transfer.fd, transfer.data, transfer.bytes, at)
                                         : calls_.pread(transfer.fd, transfer.data, transfer.bytes, at);
    put({.tag = tag, .moved = moved});
    return 0;
  }
  int knock(std::uint64_t tag) override {
    if (working_ == 0) return -EBADF;
    put({.tag = tag, .moved = 0});
    return 0;
  }
  int wait(Ended& ended) override {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::milliseconds(5), [this] { return !ended_.empty(); }))
      return -ETIME;
    ended = ended_.front();
    ended_.pop_front();
    return 0;
  }

 private:
  void put(const Ended& ended) {
    const std::lock_guard lock(mutex_);
    ended_.push_back(ended);
    changed_.notify_one();
  }

  SystemCalls& calls_;
  std::uint64_t working_;  // beginning thread
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Ended> ended_;
};

}  // namespace dormouse::test
