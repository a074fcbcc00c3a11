/// The swap areas in use, from /proc/swaps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dormouse/error.h"

#include "base/system_calls.h"
#include "kernel/system_paths.h"

namespace dormouse {

struct ActiveSwap {
  enum class Kind : std::uint8_t { kPartition, kFile };
  std::string path;  ///< as the kernel prints it, escapes undone
  Kind kind = Kind::kPartition;
  std::uint64_t size_bytes = 0;
  std::uint64_t used_bytes = 0;
  std::int32_t priority = 0;
  /// Partition: st_rdev; file: st_dev, the device its file system is on; 0 where the path cannot be looked
  /// at.
  std::uint64_t device = 0;
  friend bool operator==(const ActiveSwap&, const ActiveSwap&) = default;
};

/// Highest priority first, otherwise as the kernel lists them. An empty list is no error.
Result<std::vector<ActiveSwap>> read_active_swaps(const SystemPaths& paths = {},
                                                  SystemCalls& calls = real_system_calls());

/// The same from text, with `device` left 0. kIo for a line that cannot be understood.
Result<std::vector<ActiveSwap>> parse_swaps(std::string_view text);

}  // namespace dormouse
