/// Does this f2fs lie on several devices? It then counts its blocks through all of them.
#pragma once

#include <cstddef>
#include <span>

namespace dormouse {

/// Enough of the start of the first device for f2fs_has_several_devices().
inline constexpr std::size_t kF2fsHeadBytes = 8192;

/// From the start of the device that the file system was mounted from. False for what is no f2fs.
[[nodiscard]] bool f2fs_has_several_devices(std::span<const std::byte> head);

}  // namespace dormouse
