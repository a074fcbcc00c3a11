#include "check/processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "kernel/text_file.h"
#include "report/safe_text.h"

namespace dormouse {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNamed = 4;

std::string directory_of(const Process& process, const Host& host) {
  return fmt::format("{}/{}", host.paths.proc, process.pid);
}

/// Calls `each` for the entries of a directory, until it says true or nothing is left.
template <class Each>
bool any_entry(const std::string& directory, Each each) {
  std::error_code error;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (each(entry->path())) return true;
  }
  return false;
}

/// "start-end perms offset device inode   name"; only the name may hold blanks.
std::string_view mapped_name(std::string_view line) {
  for (int field = 0; field < 5; ++field) {
    line = trimmed(line);
    const auto blank = line.find(' ');
    if (blank == std::string_view::npos) return {};
    line.remove_prefix(blank);
  }
  return trimmed(line);
}

template <class Holds>
std::vector<Process> processes_that(const Host& host, Holds holds) {
  auto processes = all_processes(host);
  std::erase_if(processes, [&](const Process& process) { return !holds(process); });
  return processes;
}

}  // namespace

std::vector<Process> all_processes(const Host& host) {
  std::vector<Process> processes;
  any_entry(host.paths.proc, [&](const fs::path& path) {
    const std::string name = path.filename();
    Process process;
    const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), process.pid);
    if (status != std::errc{} || end != name.data() + name.size()) return false;
    if (const auto comm = read_text_file(path.string() + "/comm", host.calls)) process.name = trimmed(*comm);
    processes.push_back(std::move(process));
    return false;
  });
  std::ranges::sort(processes, {}, &Process::pid);
  return processes;
}

std::vector<Process> holders_of(const std::function<bool(std::string_view link)>& is_meant,
                                const Host& host) {
  return processes_that(host, [&](const Process& process) {
    return any_entry(directory_of(process, host) + "/fd", [&](const fs::path& path) {
      std::error_code error;
      const auto link = fs::read_symlink(path, error);
      return !error && is_meant(link.native());
    });
  });
}

std::vector<Process> mappers_of(const std::function<bool(std::string_view name)>& is_meant,
                                const Host& host) {
  return processes_that(host, [&](const Process& process) {
    const auto maps = read_text_file(directory_of(process, host) + "/maps", host.calls);
    if (!maps) return false;
    for (std::string_view rest = *maps; !rest.empty();) {
      const auto line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (is_meant(mapped_name(line))) return true;
    }
    return false;
  });
}

std::string list_of(const std::vector<Process>& processes) {
  std::string list;
  for (std::size_t i = 0; i < processes.size() && i < kMostNamed; ++i) {
    const Process& process = processes[i];
    list += fmt::format("{}{} (pid {})", i > 0 ? ", " : "",
                        process.name.empty() ? "a process" : safe_text(process.name), process.pid);
  }
  if (processes.size() > kMostNamed) list += fmt::format(" and {} more", processes.size() - kMostNamed);
  return list;
}

}  // namespace dormouse
