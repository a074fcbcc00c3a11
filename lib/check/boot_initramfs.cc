#include "check/boot_initramfs.h"

#include <fmt/format.h>

#include <cerrno>
#include <vector>

#include "check/boot_finding_ids.h"
#include "config/config_file.h"
#include "kernel/text_file.h"

namespace dormouse {
namespace {

constexpr std::string_view kUpdate = "run update-initramfs -u";

/// The device that a configuration file's text names; an error for text that resume would refuse.
Result<std::optional<ToldArea>> named_in(const std::string& text, const std::string& path) {
  Settings settings;
  std::vector<std::string> warnings;
  if (auto r = apply_config(text, path, settings, warnings); !r) return std::unexpected(r.error());
  if (settings.resume_device.empty()) return std::nullopt;
  return ToldArea{.device = settings.resume_device, .offset = settings.resume_offset_pages};
}

Finding led_astray(const std::string& path, const ToldArea& told, const WhereItLeads& where,
                   const TargetArea& target) {
  const std::string head = fmt::format("the configuration in {} names {}", path, told.text());
  const std::string here =
      fmt::format("the image would go to {} at page {}", target.path, target.header_page);
  if (where.leads == Leads::kToFile) {
    return found(
        finding::kBootNamesFile,
        fmt::format("{}, a file, and no file system is mounted when it is needed", head),
        fmt::format("name the device and the offset in suspend.conf (swap-offset --format=conf {} prints "
                    "both lines), and {}",
                    told.device, kUpdate));
  }
  if (where.leads == Leads::kNowhere) {
    return found(finding::kBootOtherArea, fmt::format("{}, which is not there; {}", head, here),
                 fmt::format("correct suspend.conf and {}", kUpdate));
  }
  return found(finding::kBootOtherArea, fmt::format("{}; {}", head, here), std::string(kUpdate));
}

/// What runs resume, and when.
std::optional<Finding> check_start(const InitramfsFacts& facts) {
  const std::string& path = facts.path;
  if (!facts.has_resume) {
    const std::string systemd =
        facts.systemd_resume ? "; systemd's own resume is, which cannot load such an image" : "";
    return found(finding::kBootNoResume, fmt::format("dormouse's resume is not in {}{}", path, systemd),
                 fmt::format("install the initramfs hook and {}", kUpdate));
  }
  if (!facts.resume_executable)
    return found(finding::kBootResumeNotExecutable, fmt::format("resume in {} may not be run", path),
                 fmt::format("install dormouse anew and {}", kUpdate));
  if (!facts.initramfs_tools)
    return found(
        finding::kBootStartUnknown,
        fmt::format("{} holds resume, and was not made by initramfs-tools: what runs it cannot be told",
                    path),
        "make sure that it is run before any file system is mounted");
  if (!facts.has_script)
    return found(
        finding::kBootScriptMissing,
        fmt::format("{} holds resume, and not the script that runs it before file systems are mounted", path),
        fmt::format("install dormouse anew and {}", kUpdate));
  if (!facts.script_executable || !facts.script_called)
    return found(finding::kBootScriptNotRun,
                 fmt::format("the script that runs resume is in {}, and {}", path,
                             facts.script_executable ? "scripts/local-premount/ORDER does not call it"
                                                     : "may not be run"),
                 fmt::format("install dormouse anew and {}", kUpdate));
  return std::nullopt;
}

}  // namespace

CheckedInitramfs check_initramfs(const CheckSubject& subject, const std::string& path,
                                 const Result<InitramfsFacts>& facts) {
  CheckedInitramfs checked;
  if (!facts) {
    const Error& error = facts.error();
    const bool missing = error.errnum == ENOENT || error.errnum == ENOTDIR;
    checked.findings.push_back(
        missing ? found(finding::kBootInitramfsMissing, fmt::format("there is no initramfs {}", path),
                        fmt::format("{}, and update-grub or the like after it", kUpdate))
                : found(finding::kBootInitramfsUnreadable, error.what(), std::string(kUpdate)));
    return checked;
  }
  if (const auto wrong = check_start(*facts)) {
    checked.findings.push_back(*wrong);
    // Somebody else's way to run it may be as good.
    if (wrong->severity == Finding::Severity::kProblem) return checked;
  }
  checked.runs_resume = true;

  const std::string config_path = path + ":/etc/suspend.conf";
  if (facts->config) {
    auto named = named_in(*facts->config, config_path);
    if (!named) {
      checked.findings.push_back(found(finding::kBootConfigUnreadable, named.error().what(),
                                       fmt::format("correct /etc/suspend.conf and {}", kUpdate)));
      checked.runs_resume = false;  // it stops there
      return checked;
    }
    checked.told = std::move(*named);
    // The path of a swap file is of no use there: the hook has noted its place, and the boot script goes by
    // that.
    if (facts->offset) checked.told = ToldArea{.device = facts->device, .offset = facts->offset};
  } else {
    const auto here =
        read_text_file(subject.host.paths.root + std::string(kDefaultConfigFile), subject.host.calls);
    const auto named =
        here ? named_in(*here, std::string(kDefaultConfigFile)) : Result<std::optional<ToldArea>>{};
    if (named && *named) {
      checked.findings.push_back(
          found(finding::kBootConfigMissing,
                fmt::format("{} names {}, and is not in {}", kDefaultConfigFile, (*named)->text(), path),
                std::string(kUpdate)));
      checked.runs_resume = false;
      return checked;
    }
  }
  if (checked.told && subject.target) {
    const WhereItLeads where = follow(*checked.told, *subject.target, subject.host);
    if (where.leads != Leads::kThere)
      checked.findings.push_back(led_astray(path, *checked.told, where, *subject.target));
  }
  return checked;
}

}  // namespace dormouse
