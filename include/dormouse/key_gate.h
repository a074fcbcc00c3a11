/// Where reading a sealed image waits for its key, while somebody is asked for it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include "dormouse/error.h"

namespace dormouse {

/// One thread reads the image ahead, ImageReader::read(sink, progress, &gate); another asks the user, calls
/// ImageReader::unlock(), and then opens the gate, or refuses. The first decision counts. Where reading comes
/// to an end before (the device fails, the map is damaged, the user stops it), the reader refuses the gate
/// itself: whoever asks looks at decided() and need not go on; it must have come to its end before the reader
/// is used for anything else. For one reading. All threads.
class KeyGate {
 public:
  /// Requires: unlock() has succeeded. False: it was decided before.
  bool open();
  /// Reading ends at once, with this error. False: it was decided before.
  bool refuse(const Error& error);
  /// Waits until it is decided; the error that it was refused with.
  Result<void> wait();
  [[nodiscard]] bool decided() const;
  /// CLOCK_MONOTONIC when it was opened, in nanoseconds.
  [[nodiscard]] std::optional<std::uint64_t> opened_at_ns() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::uint64_t> opened_at_ns_;
  std::optional<Error> refusal_;
};

}  // namespace dormouse
