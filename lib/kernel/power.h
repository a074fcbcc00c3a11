/// The end of a suspend by plain means: reboot(2).
#pragma once

#include "dormouse/error.h"

#include "base/system_calls.h"

namespace dormouse {

/// Return only on failure. Nothing is synced: after the snapshot no file system may be written.
Result<void> power_off_machine(SystemCalls& calls = real_system_calls());
Result<void> restart_machine(SystemCalls& calls = real_system_calls());

}  // namespace dormouse
