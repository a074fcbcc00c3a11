/// GRUB's menu as grub-mkconfig writes it. What a script in it would do is not worked out: only menu entries,
/// submenus and the choice of the default are read.
#pragma once

#include <string_view>

#include "boot/boot_entry.h"

namespace dormouse {

/// `environment` is the text of grubenv, "" where there is none; `path` is for messages.
[[nodiscard]] BootMenu parse_grub_config(std::string_view config, std::string_view environment,
                                         std::string_view path);

}  // namespace dormouse
