/// Which boot loader this machine has, and what it would start.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dormouse/error.h"

#include "boot/boot_entry.h"
#include "kernel/host.h"

namespace dormouse {

struct FoundMenu {
  std::string path;  ///< of the menu's file or directory; empty: no loader that is known here
  BootMenu menu;
};

/// GRUB's grub.cfg, or the text entries of systemd-boot, whichever the firmware says started this machine,
/// else whichever is there. kIo where a menu is there and cannot be read.
Result<FoundMenu> read_boot_menu(const Host& host = {});

/// The file of an initramfs (or kernel) that a loader calls `named`: a loader counts from the file system
/// that it lies on. nullopt where no such file is found.
std::optional<std::string> locate_boot_file(const std::string& named, const Host& host = {});

/// Where distributions put the initramfs of a kernel; nullopt where none is.
std::optional<std::string> usual_initramfs(const std::string& release, const Host& host = {});

/// Of the running kernel, as host.paths.proc says; empty where it says nothing.
std::string running_release(const Host& host = {});

}  // namespace dormouse
