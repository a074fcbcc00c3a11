/// A device that is as slow as it is told to be.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

#include "dormouse/block_device.h"

namespace dormouse::bench {

/// Decorates another. Requests are worked off one after the other at `bytes_per_second`, as by a disk with
/// one queue; each returns when its turn is over. 0: no limit. Threads: as BlockDevice.
class RateLimitedDevice final : public BlockDevice {
 public:
  RateLimitedDevice(BlockDevice& inner, double bytes_per_second) : inner_(inner), rate_(bytes_per_second) {}

  Result<void> write(DeviceOffset offset, std::span<const std::byte> data) override;
  Result<void> read(DeviceOffset offset, std::span<std::byte> out) override;
  void start_writeout(std::span<const ByteRange> ranges) override { inner_.start_writeout(ranges); }
  Result<void> flush() override { return inner_.flush(); }
  void forget_error() override { inner_.forget_error(); }
  void quiesce() override { inner_.quiesce(); }
  [[nodiscard]] std::uint64_t size_bytes() const override { return inner_.size_bytes(); }
  [[nodiscard]] std::string_view name() const override { return inner_.name(); }

 private:
  using Clock = std::chrono::steady_clock;
  void take_turn(std::size_t bytes);

  BlockDevice& inner_;
  double rate_;
  std::mutex mutex_;
  Clock::time_point busy_until_{};  // under mutex_
};

}  // namespace dormouse::bench
