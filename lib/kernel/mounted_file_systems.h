/// Is this an initramfs, or a system that runs? A saved machine believes in its file systems as they were, so
/// none of them may be mounted when it is brought back (kernel-facts D.4).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dormouse/error.h"

#include "kernel/host.h"

namespace dormouse {

/// The first file system on a device that is mounted, as "/dev/vda1 on /"; none where only the kernel's own
/// and such as cannot be written (squashfs, iso9660 ...) are. Reads /proc/self/mountinfo.
Result<std::optional<std::string>> mounted_file_system(const Host& host = {});

/// The same from text.
[[nodiscard]] std::optional<std::string> first_mounted_device(std::string_view mountinfo);

}  // namespace dormouse
