/// The firmware's variables that have to do with booting.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dormouse/error.h"

#include "kernel/host.h"

namespace dormouse {

/// Text of a variable of the boot loader interface ("LoaderInfo", "LoaderEntryDefault"); empty where the
/// firmware has none, or no text in it.
[[nodiscard]] std::string loader_variable(std::string_view name, const Host& host = {});

/// Where systemd noted that the machine hibernated (kernel-facts D.8).
struct HibernateLocation {
  std::string path;            ///< of the variable's file
  std::string uuid;            ///< of the file system or swap area on the block device
  std::uint64_t offset = 0;    ///< pages
  std::string kernel_version;  ///< empty where it is not said
};

/// File of the variable that holds it.
[[nodiscard]] std::string hibernate_location_path(const Host& host = {});

/// nullopt where there is none; kCorrupt where there is one that cannot be understood.
Result<std::optional<HibernateLocation>> read_hibernate_location(const Host& host = {});

}  // namespace dormouse
