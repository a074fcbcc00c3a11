/// The machine that a tool runs on, as a value: tests hand in another.
#pragma once

#include "base/system_calls.h"
#include "kernel/system_paths.h"

namespace dormouse {

/// Copied freely; `calls` outlives all that was made with it.
struct Host {
  SystemPaths paths = {};
  SystemCalls& calls = real_system_calls();
};

}  // namespace dormouse
