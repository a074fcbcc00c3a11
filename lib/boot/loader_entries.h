/// The menu of systemd-boot and others that read Boot Loader Specification entries (type 1: text files).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "boot/boot_entry.h"

namespace dormouse {

struct LoaderFile {
  std::string name;  ///< of the file, "debian-6.1.conf"
  std::string text;
};

/// Sorted as the specification says; `chosen` by the first pattern of: `firmware_default` (the loader's own
/// variable, "" for none), `default` of loader.conf, else the first entry. `directory` is for messages.
[[nodiscard]] BootMenu parse_loader_entries(std::vector<LoaderFile> files, std::string_view loader_config,
                                            std::string_view firmware_default, std::string_view directory);

}  // namespace dormouse
