/// Time, so that tests can make it pass.
#pragma once

#include <cstdint>

namespace dormouse {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Nanoseconds since some fixed instant; never falls.
  [[nodiscard]] virtual std::uint64_t now_ns() = 0;
  /// Returns when about so much time has passed.
  virtual void pause_ns(std::uint64_t ns) = 0;
};

/// CLOCK_MONOTONIC: does not count the time asleep, so a hibernation makes no jump in it.
class MonotonicClock final : public Clock {
 public:
  [[nodiscard]] std::uint64_t now_ns() override;
  void pause_ns(std::uint64_t ns) override;
};

}  // namespace dormouse
