/// Block devices by number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dormouse/error.h"

#include "kernel/system_paths.h"

namespace dormouse {

/// "8:3" to a number as in st_rdev; nullopt for anything else.
[[nodiscard]] std::optional<std::uint64_t> parse_device_number(std::string_view text);
/// "8:3" from a number.
[[nodiscard]] std::string format_device_number(std::uint64_t device);

/// Path of the node of block device `device`: by /dev/block/MAJOR:MINOR, else by the name in
/// /sys/dev/block/MAJOR:MINOR/uevent. kUsage where there is no such device, kIo where it has no node.
Result<std::string> block_device_path(std::uint64_t device, const SystemPaths& paths = {});

/// st_rdev of the block device at `path`; kUsage if it is something else.
Result<std::uint64_t> block_device_number(const std::string& path);

}  // namespace dormouse
