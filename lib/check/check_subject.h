/// What is checked.
#pragma once

#include <cstdint>
#include <optional>

#include "area/target_area.h"
#include "config/settings.h"
#include "kernel/host.h"

namespace dormouse {

/// Handed to every check; none changes anything on the machine.
struct CheckSubject {
  const Settings& settings;
  const Host& host;
  std::uint32_t page_bytes = 4096;        ///< of the running kernel
  std::optional<TargetArea> target = {};  ///< the area that would be saved to; none was found: nullopt
  bool root = true;                       ///< false: much cannot be read, which is then said once
};

}  // namespace dormouse
