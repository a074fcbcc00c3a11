/// What /sys/power says and lets us set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dormouse/error.h"

#include "base/system_calls.h"
#include "kernel/system_paths.h"

namespace dormouse {

/// /sys/power/disk: how the kernel can end a hibernation.
struct DiskModes {
  std::vector<std::string> modes;  ///< "platform", "shutdown", "reboot", ...; empty if unavailable
  std::string current;             ///< the one in brackets
  bool available = false;          ///< false where the file reads "[disabled]"
  [[nodiscard]] bool has(std::string_view mode) const;
  /// The firmware has hooks for hibernation (ACPI S4).
  [[nodiscard]] bool platform() const { return has("platform"); }
};

[[nodiscard]] DiskModes parse_disk_modes(std::string_view text);
/// kImpossible where the kernel has no such file: it was built without hibernation.
Result<DiskModes> read_disk_modes(const SystemPaths& paths = {}, SystemCalls& calls = real_system_calls());

/// /sys/power/image_size, bytes. SNAPSHOT_PREF_IMAGE_SIZE sets the same, for the whole system and for good.
Result<std::uint64_t> read_image_size(const SystemPaths& paths = {},
                                      SystemCalls& calls = real_system_calls());

}  // namespace dormouse
