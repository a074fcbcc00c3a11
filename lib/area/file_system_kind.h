/// Which file system a file is on, and whether a swap file can be found there.
#pragma once

#include <cstdint>
#include <string>

namespace dormouse {

struct FileSystemKind {
  /// How the places of files are to be had.
  enum class Way : std::uint8_t { kNone, kExtents, kExtentsXfs, kExtentsF2fs, kBtrfs };
  std::string name;
  Way way = Way::kNone;
};

/// From the f_type of statfs(2). A type nobody here knows is named by its number.
[[nodiscard]] FileSystemKind file_system_kind(std::uint64_t f_type);

}  // namespace dormouse
