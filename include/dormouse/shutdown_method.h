/// What happens once the image is safe on disk.
#pragma once

#include <cstdint>

namespace dormouse {

enum class ShutdownMethod : std::uint8_t {
  kPlatform,  ///< the firmware's own hibernation state (ACPI S4)
  kShutdown,  ///< plain power-off
  kReboot,    ///< restart, which resumes at once
  kSuspend,   ///< to RAM; the image is kept until wake-up, in case the battery runs out
  kNone,      ///< a rehearsal: nothing is marked, everything is taken back
};

}  // namespace dormouse
