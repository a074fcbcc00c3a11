#include "kernel/power.h"

#include <sys/reboot.h>

namespace dormouse {
namespace {

Result<void> end_machine(SystemCalls& calls, int command, std::string_view operation) {
  if (const int r = calls.reboot(command); r < 0) {
    return fail(Errc::kIo, operation)
        .os(-r)
        .because(
            "CAP_SYS_BOOT in the first PID name space is missing: run it as root, outside any container");
  }
  return fail(Errc::kIo, operation).because("reboot(2) returned without doing it");
}

}  // namespace

Result<void> power_off_machine(SystemCalls& calls) {
  return end_machine(calls, RB_POWER_OFF, "power off");
}
Result<void> restart_machine(SystemCalls& calls) {
  return end_machine(calls, RB_AUTOBOOT, "restart");
}

}  // namespace dormouse
