#include "console/clock.h"

#include <time.h>

namespace dormouse {

std::uint64_t MonotonicClock::now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace dormouse
