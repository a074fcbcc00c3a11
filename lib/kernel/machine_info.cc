#include "kernel/machine_info.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "kernel/text_file.h"

namespace dormouse {

namespace {

/// A line of /proc/meminfo, `key` with its colon, in bytes.
Result<std::uint64_t> memory_figure(std::string_view key, const SystemPaths& paths) {
  const auto file = paths.proc + "/meminfo";
  auto text = read_text_file(file);
  if (!text) return std::unexpected(text.error());
  if (const auto at = text->find(key); at != std::string::npos) {
    const auto rest = trimmed(std::string_view(*text).substr(at + key.size()));
    std::uint64_t kibibytes = 0;
    const auto status = std::from_chars(rest.data(), rest.data() + rest.size(), kibibytes).ec;
    if (status == std::errc{} && kibibytes > 0) return kibibytes * 1024;
  }
  return fail(Errc::kIo, "read").on(file).because("it does not say {}", key.substr(0, key.size() - 1));
}

}  // namespace

Result<std::uint64_t> total_ram_bytes(const SystemPaths& paths) {
  return memory_figure("MemTotal:", paths);
}

Result<std::uint64_t> available_ram_bytes(const SystemPaths& paths) {
  return memory_figure("MemAvailable:", paths);
}

std::string kernel_release() {
  utsname names{};
  return ::uname(&names) == 0 ? names.release : "";
}

std::string machine_architecture() {
  utsname names{};
  return ::uname(&names) == 0 ? names.machine : "";
}

unsigned usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  // More processors than a fixed set has room for.
  return static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace dormouse
