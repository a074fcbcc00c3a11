#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "check/checks.h"
#include "check/finding_ids.h"
#include "check/processes.h"
#include "kernel/kernel_line.h"
#include "kernel/power_settings.h"
#include "kernel/text_file.h"
#include "report/safe_text.h"

namespace dormouse {
namespace {

constexpr std::size_t kMostMounts = 3;

/// The word in brackets of a file such as "none [integrity] confidentiality"; empty where there is none.
std::string chosen_word(const std::string& path, const Host& host) {
  const auto text = read_text_file(path, host.calls);
  if (!text) return {};
  const auto open = text->find('[');
  const auto close = text->find(']', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return {};
  return text->substr(open + 1, close - open - 1);
}

bool is_secret_memory(std::string_view name) {
  return name == "/secretmem" || name == "/secretmem (deleted)" || name == "anon_inode:[secretmem]";
}

std::vector<Process> secret_holders(const Host& host) {
  auto holders = holders_of(is_secret_memory, host);
  for (Process& process : mappers_of(is_secret_memory, host)) {
    if (std::ranges::find(holders, process.pid, &Process::pid) == holders.end())
      holders.push_back(std::move(process));
  }
  return holders;
}

bool has_cxl_memory(const Host& host) {
  std::error_code error;
  std::filesystem::directory_iterator entry(host.paths.sys + "/bus/cxl/devices", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (entry->path().filename().native().starts_with("mem")) return true;
  }
  return false;
}

/// The kernel says [disabled]: all the reasons there are (kernel-facts A.1).
void find_what_disables(const CheckSubject& subject, Findings& findings) {
  const Host& host = subject.host;
  const std::size_t before = findings.size();
  if (const auto line = read_text_file(host.paths.proc + "/cmdline", host.calls);
      line && parse_kernel_line(*line).nohibernate) {
    findings.push_back(
        found(finding::kNohibernate,
              "the kernel's command line switches hibernation off (nohibernate, hibernate=no)",
              "take that word out of the boot loader's configuration (/etc/default/grub), write it anew "
              "(update-grub) and boot again"));
  }
  const auto lockdown = chosen_word(host.paths.sys + "/kernel/security/lockdown", host);
  if (!lockdown.empty() && lockdown != "none") {
    findings.push_back(found(
        finding::kLockdown,
        fmt::format("the kernel is locked down ({}), which forbids hibernation", safe_text(lockdown)),
        "switch Secure Boot off in the firmware's setup, or take lockdown= off the kernel's command line"));
  }
  const auto holders = secret_holders(host);
  if (!holders.empty()) {
    findings.push_back(
        found(finding::kSecretMemory,
              fmt::format("secret memory (memfd_secret), which no image may hold, is in use by {}",
                          list_of(holders)),
              "end it before hibernating, or boot with secretmem.enable=0"));
  }
  if (findings.size() > before || !subject.root) return;
  findings.push_back(found(
      finding::kHibernationDisabled,
      fmt::format("the kernel has hibernation disabled ({}/power/disk says [disabled]){}", host.paths.sys,
                  has_cxl_memory(host) ? ", as it does while a CXL memory device is active" : ""),
      "look into the kernel's log (dmesg) for the reason; a CXL memory device or secret memory of a process "
      "in another container does this"));
}

/// "/dev/NAME" in the tree that is looked at.
std::string device_file(const std::string& path, const Host& host) {
  constexpr std::string_view kDev = "/dev/";
  return path.starts_with(kDev) ? host.paths.dev + "/" + path.substr(kDev.size()) : host.paths.root + path;
}

void check_snapshot_device(const CheckSubject& subject, Findings& findings) {
  const Host& host = subject.host;
  const std::string& device = subject.settings.snapshot_device;
  struct stat info{};
  if (::stat(device_file(device, host).c_str(), &info) != 0) {
    std::error_code error;
    const bool built = std::filesystem::exists(host.paths.sys + "/class/misc/snapshot", error);
    findings.push_back(found(
        finding::kSnapshotMissing,
        built ? fmt::format("there is no {}, though the kernel has a snapshot device", safe_text(device))
              : fmt::format("there is no {}, and the kernel has no snapshot device", safe_text(device)),
        built ? fmt::format("make it: mknod -m 600 {} c 10 231", safe_text(device))
              : "boot a kernel with CONFIG_HIBERNATION_SNAPSHOT_DEV, as those of the distributions are"));
    return;
  }
  const auto holders = holders_of([&](std::string_view link) { return link == device; }, host);
  if (!holders.empty()) {
    findings.push_back(
        found(finding::kSnapshotBusy,
              fmt::format("{} is open in {}, and only one may have it", safe_text(device), list_of(holders)),
              "wait until it is done, or end it"));
  }
}

void check_pm_test(const CheckSubject& subject, Findings& findings) {
  const auto path = subject.host.paths.sys + "/power/pm_test";
  const auto level = chosen_word(path, subject.host);
  if (level.empty() || level == "none") return;
  findings.push_back(found(
      finding::kPmTest,
      fmt::format("{} is set to '{}': the kernel would only play a part of it through, and make no image",
                  path, safe_text(level)),
      fmt::format("switch it off: echo none > {}", path)));
}

void check_method(const CheckSubject& subject, const DiskModes& modes, Findings& findings) {
  const ShutdownMethod method = subject.settings.shutdown_method;
  if (method == ShutdownMethod::kPlatform && !modes.platform()) {
    findings.push_back(found(finding::kMethodFallback,
                             "the firmware has no hibernation state (ACPI S4): instead of 'platform' the "
                             "method will be 'shutdown'"));
  }
  if (method != ShutdownMethod::kSuspend) return;
  const auto path = subject.host.paths.sys + "/power/state";
  const auto states = read_text_file(path, subject.host.calls);
  if (!states || states->find("mem") == std::string::npos) {
    findings.push_back(found(
        finding::kMethodMissing,
        fmt::format("the shutdown method 'suspend' needs suspend to RAM, and {} does not offer 'mem'", path),
        "choose another: --shutdown-method platform or shutdown"));
  }
}

/// Tasks that wait for a FUSE server which is frozen already cannot be frozen (kernel-facts D.3).
void check_fuse(const CheckSubject& subject, Findings& findings) {
  const auto text = read_text_file(subject.host.paths.proc + "/self/mountinfo", subject.host.calls);
  if (!text) return;
  std::string list;
  std::size_t count = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const auto dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    const auto type = line.substr(dash + 3, line.find(' ', dash + 3) - dash - 3);
    if (type != "fuse" && type != "fuseblk" && !type.starts_with("fuse.")) continue;
    std::size_t at = 0;
    for (int field = 0; field < 4 && at < dash; ++field) at = line.find(' ', at) + 1;
    if (++count <= kMostMounts)
      list += fmt::format("{}{}", count > 1 ? ", " : "", safe_text(line.substr(at, line.find(' ', at) - at)));
  }
  if (count == 0) return;
  if (count > kMostMounts) list += fmt::format(" and {} more", count - kMostMounts);
  findings.push_back(
      found(finding::kFuse,
            fmt::format("FUSE file systems are mounted ({}): if freezing fails, unmount them first", list)));
}

}  // namespace

Findings check_kernel(const CheckSubject& subject) {
  Findings findings;
  const Host& host = subject.host;
  if (!subject.root) {
    findings.push_back(found(finding::kNotRoot,
                             "only root may hibernate the machine, and look at everything that this checks",
                             "run it with sudo"));
  }
  const auto modes = read_disk_modes(host.paths, host.calls);
  if (!modes) {
    findings.push_back(found(
        finding::kHibernationMissing,
        fmt::format("the kernel has no {}/power/disk: it was built without hibernation", host.paths.sys),
        "boot a kernel with CONFIG_HIBERNATION, as those of the distributions are"));
    return findings;
  }
  if (modes->available) {
    check_method(subject, *modes, findings);
  } else {
    find_what_disables(subject, findings);
  }
  check_snapshot_device(subject, findings);
  check_pm_test(subject, findings);
  check_fuse(subject, findings);
  return findings;
}

}  // namespace dormouse
