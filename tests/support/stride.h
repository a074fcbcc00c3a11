/// A sanitizer takes its time, and looks for other things than which damage is found: under one, a part of
/// the sweeps is enough. Without, nothing is left out.
#pragma once

#include <cstddef>

namespace dormouse::test {

/// Every how many cases of a sweep one is tried, where a sanitizer may leave out all but one of `n`.
constexpr std::size_t stride([[maybe_unused]] std::size_t n) {
#ifdef DORMOUSE_WHOLE_SWEEPS
  return 1;
#else
  return n;
#endif
}

/// Is nothing left out?
constexpr bool kWholeSweeps = stride(2) == 1;

}  // namespace dormouse::test
