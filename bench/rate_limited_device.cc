#include "rate_limited_device.h"

#include <algorithm>
#include <thread>

namespace dormouse::bench {

Result<void> RateLimitedDevice::write(DeviceOffset offset, std::span<const std::byte> data) {
  auto written = inner_.write(offset, data);
  take_turn(data.size());
  return written;
}

Result<void> RateLimitedDevice::read(DeviceOffset offset, std::span<std::byte> out) {
  take_turn(out.size());
  return inner_.read(offset, out);
}

void RateLimitedDevice::take_turn(std::size_t bytes) {
  if (rate_ <= 0) return;
  Clock::time_point mine;
  {
    const std::lock_guard lock(mutex_);
    const auto needs = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(static_cast<double>(bytes) / rate_));
    busy_until_ = std::max(busy_until_, Clock::now()) + needs;
    mine = busy_until_;
  }
  std::this_thread::sleep_until(mine);
}

}  // namespace dormouse::bench
