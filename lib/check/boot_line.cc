#include "check/boot_line.h"

#include <fmt/format.h>

#include "area/area_start.h"
#include "check/boot_finding_ids.h"
#include "kernel/kernel_line.h"
#include "kernel/text_file.h"

namespace dormouse {
namespace {

constexpr std::string_view kCorrect =
    "correct the command line (/etc/default/grub and update-grub, or the loader's entry)";

std::string name_of(const BootEntry& entry) {
  return entry.place.empty() ? std::string("the running kernel's command line")
                             : fmt::format("boot entry '{}' ({})", entry.title, entry.place);
}

/// The stock kernel would load what is there before anything of ours is run.
bool holds_stock_image(const std::string& path, std::uint64_t header_page, const CheckSubject& subject) {
  const auto start = read_area_start(path, header_page * subject.page_bytes, subject.host);
  if (!start || start->bytes < subject.page_bytes) return false;
  constexpr std::string_view kStockMark("S1SUSPEND", 10);  // with the closing zero
  const auto end = start->span().first(subject.page_bytes).last(kStockMark.size());
  return std::string_view(reinterpret_cast<const char*>(end.data()), end.size()) == kStockMark;
}

std::optional<Finding> switched_off(const CheckSubject& subject, const BootEntry& entry,
                                    const KernelLine& line) {
  if (line.nohibernate) {
    // The running kernel's own line has been checked with the kernel.
    const auto running = read_text_file(subject.host.paths.proc + "/cmdline", subject.host.calls);
    if (running && parse_kernel_line(*running).nohibernate) return Finding{};
    return found(finding::kBootNohibernate, fmt::format("{} switches hibernation off", name_of(entry)),
                 fmt::format("{}: take nohibernate (hibernate=no) out", kCorrect));
  }
  if (line.noresume)
    return found(finding::kBootNoresume,
                 fmt::format("{} says noresume: the image would be thrown away", name_of(entry)),
                 fmt::format("{}: take noresume out", kCorrect));
  if (!line.unreadable.empty())
    return found(finding::kBootLineUnreadable,
                 fmt::format("{} says {}, which is no number of pages", name_of(entry), line.unreadable),
                 fmt::format("{}: write the number that swap-offset FILE prints", kCorrect));
  return std::nullopt;
}

/// Nothing but the command line, or RESUME= of initramfs-tools, tells this boot where to look.
std::optional<Finding> check_told(const CheckSubject& subject, const BootEntry& entry, const KernelLine& line,
                                  const std::string& resume_setting) {
  const TargetArea& target = *subject.target;
  const std::string here =
      fmt::format("the image would go to {} at page {}", target.path, target.header_page);
  const bool by_line = !line.resume.empty();
  ToldArea told{.device = by_line ? line.resume : resume_setting, .offset = line.resume_offset};
  if (told.device.empty() || told.device == "none" || told.device == "auto") {
    if (target.header_page == 0) return std::nullopt;  // found by its mark
    return found(
        finding::kBootNothingNamed,
        fmt::format("{} is told of no area, and a swap file is not found by searching; {}", name_of(entry),
                    here),
        fmt::format("put 'resume device = {}' and 'resume offset = {}' into /etc/suspend.conf and run "
                    "update-initramfs -u",
                    target.path, target.header_page));
  }
  const WhereItLeads where = follow(told, target, subject.host);
  const std::string said = by_line ? fmt::format("{} says resume={}", name_of(entry), line.resume)
                                   : fmt::format("RESUME={} of initramfs-tools", resume_setting);
  switch (where.leads) {
    case Leads::kThere:
      return std::nullopt;
    case Leads::kToOtherOffset:
      return found(finding::kBootLineOffset,
                   fmt::format("{} and resume_offset={}, and the swap header is at page {}", said,
                               told.offset.value_or(0), target.header_page),
                   fmt::format("{}: write resume_offset={}", kCorrect, target.header_page));
    case Leads::kToOtherArea:
    case Leads::kToFile:
    case Leads::kNowhere:
      break;
  }
  return found(
      finding::kBootLineOtherArea,
      fmt::format("{}, {}; {}", said,
                  where.leads == Leads::kNowhere ? "which is not there" : "which is another area", here),
      fmt::format("{}, or name the area in /etc/suspend.conf and run update-initramfs -u", kCorrect));
}

}  // namespace

Findings check_boot_line(const CheckSubject& subject, const BootEntry& entry,
                         const CheckedInitramfs& initramfs, const std::string& resume_setting) {
  const KernelLine line = parse_kernel_line(entry.line);
  if (auto off = switched_off(subject, entry, line)) {
    if (off->id.empty()) return {};
    return {*std::move(off)};
  }
  if (!subject.target) return {};
  if (initramfs.runs_resume && !initramfs.told) {
    if (auto wrong = check_told(subject, entry, line, resume_setting)) return {*std::move(wrong)};
  }
  if (line.resume.empty()) return {};
  const WhereItLeads where =
      follow({.device = line.resume, .offset = line.resume_offset}, *subject.target, subject.host);
  const bool elsewhere = where.leads == Leads::kToOtherArea || where.leads == Leads::kToOtherOffset;
  if (elsewhere && holds_stock_image(where.path, line.resume_offset.value_or(0), subject)) {
    return {found(
        finding::kBootStockFirst,
        fmt::format("{} says resume={}, and there is an image of the stock kernel's: it would be loaded "
                    "before ours",
                    name_of(entry), line.resume),
        fmt::format("discard it (resume --discard --resume-device {}), or take resume= out", where.path))};
  }
  return {};
}

}  // namespace dormouse
