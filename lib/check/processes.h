/// Who on this machine holds what, from /proc.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/host.h"

namespace dormouse {

struct Process {
  int pid = 0;
  std::string name;  ///< "bash"; empty where it has ended meanwhile
};

/// All of them, by number. Those that end while we look are left out or have no name.
[[nodiscard]] std::vector<Process> all_processes(const Host& host);

/// Those with an open file whose link in /proc/PID/fd `is_meant` agrees with. Opens none of the files. What
/// may not be looked at counts as nothing: only root sees all.
[[nodiscard]] std::vector<Process> holders_of(const std::function<bool(std::string_view link)>& is_meant,
                                              const Host& host);

/// Those that have a file mapped whose name in /proc/PID/maps `is_meant` agrees with.
[[nodiscard]] std::vector<Process> mappers_of(const std::function<bool(std::string_view name)>& is_meant,
                                              const Host& host);

/// "bash (pid 12), sshd (pid 7) and 3 more"; names fit to be printed.
[[nodiscard]] std::string list_of(const std::vector<Process>& processes);

}  // namespace dormouse
