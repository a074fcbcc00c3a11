#include "console/clock.h"

#include <time.h>

namespace dormouse {

std::uint64_t MonotonicClock::now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

void MonotonicClock::pause_ns(std::uint64_t ns) {
  const timespec time{.tv_sec = static_cast<time_t>(ns / 1'000'000'000),
                      .tv_nsec = static_cast<long>(ns % 1'000'000'000)};
  ::clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

}  // namespace dormouse
