#include "check/boot_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "boot/boot_menu.h"
#include "boot/efi_variables.h"
#include "boot/initramfs_facts.h"
#include "check/boot_finding_ids.h"
#include "check/boot_initramfs.h"
#include "check/boot_line.h"
#include "kernel/text_file.h"

namespace dormouse {
namespace {

/// One boot that could come next: an entry, and why it is looked at.
struct NextBoot {
  BootEntry entry;
  std::string_view role;
  std::string initramfs;  ///< path of the file; as named where it is not found; empty: none
};

std::string initramfs_of(const BootEntry& entry, const Host& host) {
  if (entry.initramfs.empty()) return {};
  // Microcode comes first, in a file of its own; the last is the one that does the work.
  const std::string& named = entry.initramfs.back();
  return locate_boot_file(named, host).value_or(named);
}

/// The running kernel's own command line and the initramfs that distributions give it.
NextBoot running_boot(const std::string& release, const Host& host) {
  NextBoot boot{.entry = {.title = release}, .role = "running", .initramfs = {}};
  if (const auto line = read_text_file(host.paths.proc + "/cmdline", host.calls))
    boot.entry.line = trimmed(*line);
  boot.initramfs =
      usual_initramfs(release, host).value_or(fmt::format("{}/boot/initrd.img-{}", host.paths.root, release));
  return boot;
}

/// The default entry, and that of the running kernel where it is another.
std::vector<NextBoot> next_boots(const FoundMenu& found_menu, const Host& host, Findings& findings) {
  std::vector<NextBoot> boots;
  const BootMenu& menu = found_menu.menu;
  const std::string release = running_release(host);
  const auto add = [&](const BootEntry& entry, std::string_view role) {
    boots.push_back({.entry = entry, .role = role, .initramfs = initramfs_of(entry, host)});
  };
  if (menu.chosen) add(menu.entries[*menu.chosen], "default");
  const auto running =
      std::ranges::find_if(menu.entries, [&](const BootEntry& entry) { return entry.for_release(release); });
  const bool same = menu.chosen && menu.entries[*menu.chosen].for_release(release);
  if (running != menu.entries.end() && !same) add(*running, "running");
  if (boots.empty()) {
    findings.push_back(found(
        finding::kBootLoaderUnknown,
        found_menu.path.empty()
            ? std::string(
                  "no menu of GRUB or systemd-boot is here: looked at the running kernel's command line and "
                  "initramfs instead")
            : fmt::format(
                  "which entry of {} is started cannot be told: looked at the running kernel's command line "
                  "and initramfs instead",
                  found_menu.path)));
    boots.push_back(running_boot(release, host));
  }
  return boots;
}

void check_next_boots(const CheckSubject& subject, Findings& findings) {
  const auto menu = read_boot_menu(subject.host);
  if (!menu) {
    findings.push_back(found(finding::kBootMenuUnreadable, menu.error().what(), "run the check as root"));
    return;
  }
  struct Looked {
    CheckedInitramfs checked;
    std::string resume_setting;
  };
  std::map<std::string, Looked> looked;
  for (const NextBoot& boot : next_boots(*menu, subject.host, findings)) {
    if (boot.initramfs.empty()) {
      findings.push_back(
          found(finding::kBootNoInitramfs,
                fmt::format("boot entry '{}' ({}) starts without an initramfs: nothing runs resume",
                            boot.entry.title, boot.entry.place),
                "give it one that holds dormouse's resume"));
      continue;
    }
    auto& one = looked[boot.initramfs];
    if (one.checked.findings.empty() && !one.checked.runs_resume) {
      const auto facts = read_initramfs_facts(boot.initramfs, subject.host);
      one = {.checked = check_initramfs(subject, boot.initramfs, facts),
             .resume_setting = facts ? facts->resume_setting : std::string()};
      findings.insert(findings.end(), one.checked.findings.begin(), one.checked.findings.end());
      if (one.checked.runs_resume) {
        findings.push_back(found(finding::kBoot, fmt::format("{} entry: {}; initramfs: {}", boot.role,
                                                             boot.entry.title, boot.initramfs)));
      }
    }
    for (Finding& wrong : check_boot_line(subject, boot.entry, one.checked, one.resume_setting))
      findings.push_back(std::move(wrong));
  }
}

void check_firmware(const CheckSubject& subject, Findings& findings) {
  const auto location = read_hibernate_location(subject.host);
  if (!location) {
    findings.push_back(
        found(finding::kBootEfiUnreadable, location.error().what(),
              fmt::format("remove it with rm {}, and systemd writes it anew when it hibernates",
                          hibernate_location_path(subject.host))));
    return;
  }
  if (!*location || !subject.target) return;
  const HibernateLocation& there = **location;
  const WhereItLeads where =
      follow({.device = "UUID=" + there.uuid, .offset = there.offset}, *subject.target, subject.host);
  if (where.leads == Leads::kThere) return;
  findings.push_back(found(
      finding::kBootEfiElsewhere,
      fmt::format("the firmware's HibernateLocation says UUID={} at page {}, as systemd left it; the image "
                  "would go to "
                  "{} at page {}",
                  there.uuid, there.offset, subject.target->path, subject.target->header_page),
      fmt::format("if no image of systemd's is to be resumed from there, remove it with rm {}", there.path)));
}

}  // namespace

Findings check_boot(const CheckSubject& subject) {
  // An initramfs may be read by root alone, and that only root sees everything has been said.
  if (!subject.root) return {};
  Findings findings;
  check_next_boots(subject, findings);
  check_firmware(subject, findings);
  return findings;
}

}  // namespace dormouse
