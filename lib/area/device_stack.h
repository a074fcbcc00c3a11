/// What a swap area lies on, and whether an initramfs can get at it.
#pragma once

#include <string>

#include "dormouse/error.h"

#include "kernel/host.h"

namespace dormouse {

struct StackFacts {
  bool memory = false;        ///< zram or another disk in memory
  bool encrypted = false;     ///< some layer is dm-crypt
  std::string obstacle = {};  ///< why no image goes there unless it is named; empty: one may
};

/// Looks at the device `name` of /sys and all that it lies on. An error where that cannot be learned.
Result<StackFacts> inspect_stack(const std::string& name, const Host& host);

/// Is the disk of this device one that is carried about, or in a slot or on a bus for such?
Result<bool> is_removable(const std::string& disk, const std::string& sys_path, const Host& host);

}  // namespace dormouse
