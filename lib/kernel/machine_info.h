/// Plain facts about this machine.
#pragma once

#include <cstdint>
#include <string>

#include "dormouse/error.h"

#include "kernel/system_paths.h"

namespace dormouse {

/// MemTotal: the memory the kernel manages, bytes.
Result<std::uint64_t> total_ram_bytes(const SystemPaths& paths = {});
/// MemAvailable: what could be had now without swapping, bytes.
Result<std::uint64_t> available_ram_bytes(const SystemPaths& paths = {});
/// "6.1.0-37-amd64"
[[nodiscard]] std::string kernel_release();
/// "x86_64"
[[nodiscard]] std::string machine_architecture();
/// Processors this process may run on, at least 1.
[[nodiscard]] unsigned usable_cpus();

}  // namespace dormouse
