/// When to begin pushing what was written towards the medium.
///
/// The 2006 finding: most of the time of a save with one flush at its end is that flush; begun every few per
/// cent of the image, it hides behind the packing. This decides only when and for what; how is the device's
/// matter (BlockDevice::start_writeout).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dormouse/image_options.h"
#include "dormouse/units.h"

namespace dormouse {

/// Collects the ranges written since the last writeout. Adjacent ranges are joined; when the bounded list is
/// full, writeout is due early. Not thread-safe; allocates nothing.
class EarlyWriteoutPolicy {
 public:
  static constexpr std::size_t kMaxRanges = 128;

  /// `total_bytes` of the image will be produced.
  EarlyWriteoutPolicy(EarlyWriteout setting, std::uint64_t total_bytes);

  /// A range was written, in any order; `produced_bytes` of the image stand behind it (0 for map pages).
  void wrote(ByteRange range, std::uint64_t produced_bytes);
  /// True when a step of the setting has been completed since the last take(), or the list is full.
  [[nodiscard]] bool due() const;
  /// Hands over the ranges to write out and starts the next step. `out` must have room for kMaxRanges.
  std::span<const ByteRange> take(std::span<ByteRange, kMaxRanges> out);

 private:
  void add(ByteRange range);

  std::uint64_t step_bytes_;  // 0: off
  std::uint64_t produced_bytes_ = 0;
  std::uint64_t steps_taken_ = 0;
  std::array<ByteRange, kMaxRanges> ranges_;
  std::size_t count_ = 0;
};

}  // namespace dormouse
