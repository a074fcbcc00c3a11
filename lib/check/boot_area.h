/// Does what a boot is told lead to the swap area that would be saved to?
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "check/check_subject.h"

namespace dormouse {

/// What a boot is told about where the image is.
struct ToldArea {
  std::string device;
  std::optional<std::uint64_t> offset;
  [[nodiscard]] std::string text() const;
};

enum class Leads : std::uint8_t {
  kThere,
  kToOtherArea,    ///< another device
  kToOtherOffset,  ///< the right device, another page
  kToFile,         ///< the path of a file: in an initramfs nothing is mounted that it could be on
  kNowhere,        ///< nothing of that name is here
};

struct WhereItLeads {
  Leads leads = Leads::kThere;
  std::string path;  ///< of the device, where there is one
  std::uint64_t device_number = 0;
};

/// `target` is the area that would be saved to.
WhereItLeads follow(const ToldArea& told, const TargetArea& target, const Host& host);

}  // namespace dormouse
