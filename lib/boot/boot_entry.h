/// What a boot loader would start.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dormouse {

struct BootEntry {
  std::string title = {};
  std::string place = {};                   ///< "/boot/grub/grub.cfg:120", for messages
  std::string kernel = {};                  ///< as the loader's file names it
  std::string line = {};                    ///< the kernel's command line
  std::vector<std::string> initramfs = {};  ///< as named there; the loader hands the kernel all of them
  [[nodiscard]] bool for_release(std::string_view release) const {
    return !release.empty() && kernel.size() > release.size() && kernel.ends_with(release) &&
           kernel[kernel.size() - release.size() - 1] == '-';
  }
};

/// The entries of one loader, in its own order.
struct BootMenu {
  std::vector<BootEntry> entries = {};
  std::optional<std::size_t> chosen =
      std::nullopt;  ///< index of the one it starts when nobody chooses, where that can be told
};

}  // namespace dormouse
