/// The end of a suspend by plain means, and another try to resume: reboot(2).
#pragma once

#include "dormouse/error.h"
#include "dormouse/machine_power.h"

#include "base/system_calls.h"

namespace dormouse {

/// Return only on failure. Nothing is synced: after the snapshot no file system may be written.
Result<void> power_off_machine(SystemCalls& calls = real_system_calls());
Result<void> restart_machine(SystemCalls& calls = real_system_calls());

/// Both behind the seam of the cycles.
class LinuxPower final : public MachinePower {
 public:
  explicit LinuxPower(SystemCalls& calls = real_system_calls()) : calls_(calls) {}
  Result<void> power_off() override { return power_off_machine(calls_); }
  Result<void> restart() override { return restart_machine(calls_); }

 private:
  SystemCalls& calls_;
};

}  // namespace dormouse
