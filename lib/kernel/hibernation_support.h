/// Is hibernation possible here, and if not, why?
#pragma once

#include <optional>
#include <string>

#include "base/system_calls.h"
#include "kernel/system_paths.h"

namespace dormouse {

/// nullopt where the kernel would let us; else a sentence that names the cause and the remedy as well as can
/// be known from outside: command line, lockdown, secret memory. Opens nothing that has effects.
[[nodiscard]] std::optional<std::string> why_hibernation_is_unavailable(
    const SystemPaths& paths = {}, SystemCalls& calls = real_system_calls());

}  // namespace dormouse
