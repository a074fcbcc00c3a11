#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "dormouse/swap_area.h"

#include "check/checks.h"
#include "check/finding_ids.h"
#include "format/swap_header.h"
#include "io/posix_block_device.h"
#include "kernel/active_swaps.h"
#include "kernel/text_file.h"
#include "report/safe_text.h"

namespace dormouse {
namespace {

std::string name_of(const TargetArea& target) {
  std::string name = safe_text(target.path);
  if (target.header_page != 0) name += fmt::format(" at page {}", target.header_page);
  if (!target.swap_file.empty()) name += fmt::format(" (swap file {})", safe_text(target.swap_file));
  return name;
}

/// Read only, past the page cache where the file system lets us.
Result<std::unique_ptr<PosixBlockDevice>> open_to_look(const TargetArea& target, const Host& host) {
  auto device =
      PosixBlockDevice::open(target.path, {.io = IoMode::kDirect, .access = Access::kReadOnly}, host.calls);
  if (!device && target.regular_file)
    return PosixBlockDevice::open(target.path, {.io = IoMode::kBuffered, .access = Access::kReadOnly},
                                  host.calls);
  return device;
}

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat first{};
  struct stat second{};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

bool is_that_area(const ActiveSwap& swap, const TargetArea& target, const Host& host) {
  const std::string& name = target.swap_file.empty() ? target.path : target.swap_file;
  if (swap.path == name || is_same_file(host.paths.root + swap.path, name)) return true;
  if (!target.swap_file.empty()) return false;
  const bool file = swap.kind == ActiveSwap::Kind::kFile;
  return swap.device != 0 && swap.device == target.device_number && file == (target.header_page != 0);
}

/// The kernel's own numbers of an active area; what the header says of one that nobody uses.
AreaFacts facts_of(const SwapArea& area, const TargetArea& target, const Host& host) {
  AreaFacts facts{.path = target.path,
                  .offset_pages = target.header_page,
                  .swap_file = target.swap_file,
                  .active = target.active};
  const std::uint64_t bad = bad_pages_of(area.page()).size();
  facts.size_bytes = (area.last_page() - std::min<std::uint64_t>(bad, area.last_page())) * area.page_bytes();
  facts.free_bytes = facts.size_bytes;
  const auto swaps = read_active_swaps(host.paths, host.calls);
  if (!swaps) return facts;
  for (const ActiveSwap& swap : *swaps) {
    const std::uint64_t free = swap.size_bytes - std::min(swap.used_bytes, swap.size_bytes);
    if (target.active && is_that_area(swap, target, host)) {
      facts.size_bytes = swap.size_bytes;
      facts.free_bytes = free;
    } else {
      facts.free_elsewhere_bytes += free;
    }
  }
  return facts;
}

/// Of the disk itself or, for a partition, of the disk it is on.
bool is_removable(const TargetArea& target, const Host& host) {
  if (target.device_number == 0) return false;
  std::error_code error;
  const auto device = std::filesystem::canonical(
      fmt::format("{}/dev/block/{}:{}", host.paths.sys, gnu_dev_major(target.device_number),
                  gnu_dev_minor(target.device_number)),
      error);
  if (error) return false;
  for (const auto& directory : {device, device.parent_path()}) {
    if (const auto text = read_text_file(directory / "removable", host.calls)) return trimmed(*text) == "1";
  }
  return false;
}

Finding not_found(const Error& error) {
  if (error.code == Errc::kIo) {
    return found(finding::kAreaUnreadable, safe_text(error.what()),
                 "see what the kernel's log (dmesg) says of that device");
  }
  return found(finding::kAreaNotFound, safe_text(error.what()),
               "name the right area with --resume-device or 'resume device' in the configuration, or make "
               "one and switch it "
               "on (mkswap, swapon)");
}

Finding unusable(const Error& error) {
  if (error.code == Errc::kImpossible) {
    return found(finding::kNoSignature, safe_text(error.what()),
                 "check device and offset; if they are right, make the area anew with mkswap");
  }
  return found(finding::kAreaUnreadable, safe_text(error.what()),
               "see what the kernel's log (dmesg) says of that device, and whether it is still there");
}

/// The header, as far as it decides whether an image may be put there. False: it may not.
bool check_header(const CheckSubject& subject, const SwapArea& area, const TargetArea& target,
                  Findings& findings) {
  if (area.page_bytes() != subject.page_bytes) {
    findings.push_back(found(finding::kPageSize,
                             fmt::format("{} was made for pages of {} bytes, this kernel has pages of {}",
                                         name_of(target), area.page_bytes(), subject.page_bytes),
                             "make it anew with mkswap"));
    return false;
  }
  if (area.marked()) {
    findings.push_back(found(
        finding::kHoldsImage, fmt::format("{} already holds {}", name_of(target), describe(area.signature())),
        "look at it with 'resume --status', and drop it with 'resume --discard' if nothing is "
        "to be resumed from it"));
    return false;
  }
  if (target.header_page != 0 && !target.active && !target.regular_file) {
    findings.push_back(found(
        finding::kNotActive,
        fmt::format("{} is not swapped on, so that nobody can tell which pages of its device are its own",
                    name_of(target)),
        "switch the swap file on (swapon), and name it in /etc/fstab"));
    return false;
  }
  return true;
}

/// Whether it was stale.
bool check_offset(const CheckSubject& subject, const TargetArea& target, Findings& findings) {
  const auto configured = subject.settings.resume_offset_pages;
  if (!configured || *configured == target.header_page) return false;
  findings.push_back(
      found(finding::kStaleOffset,
            fmt::format("the resume offset {} ({}) is stale: {} begins at page {} of {}", *configured,
                        safe_text(subject.settings.origin(Key::kResumeOffset).text()),
                        target.swap_file.empty() ? "the swap area" : safe_text(target.swap_file),
                        target.header_page, safe_text(target.path)),
            fmt::format("write {} there, or leave the offset out: it is found anew each time",
                        target.header_page)));
  return true;
}

/// Whoever looked for the area says in a note, too, that an offset is stale. Once is enough.
bool tells_both(const std::string& note, std::uint64_t said, std::uint64_t is) {
  return note.find(std::to_string(said)) != std::string::npos &&
         note.find(std::to_string(is)) != std::string::npos;
}

}  // namespace

CheckedArea check_area(const CheckSubject& subject, const Result<AreaSearch>& search) {
  CheckedArea checked;
  Findings& findings = checked.findings;
  if (!search) {
    // Nobody else may read a disk, and the choice of one where none is named needs that. That this is not
    // root has been said.
    const int errnum = search.error().errnum;
    const bool nameless = subject.settings.resume_device.empty();
    if (!subject.root && (nameless || errnum == EACCES || errnum == EPERM)) return checked;
    findings.push_back(not_found(search.error()));
    return checked;
  }
  for (const PassedOver& one : search->passed_over) {
    findings.push_back(found(finding::kPassedOver, fmt::format("{} was passed over: {}", safe_text(one.path),
                                                               safe_text(one.reason))));
  }
  const TargetArea& target = search->target;
  const bool stale = check_offset(subject, target, findings);
  for (const std::string& note : search->notes) {
    if (!stale || !tells_both(note, *subject.settings.resume_offset_pages, target.header_page))
      findings.push_back(found(finding::kAreaName, safe_text(note)));
  }
  auto device = open_to_look(target, subject.host);
  if (!device) {
    if (subject.root) findings.push_back(unusable(device.error()));
    return checked;
  }
  const auto area = SwapArea::open(**device, page_offset(target.header_page, subject.page_bytes));
  if (!area) {
    findings.push_back(unusable(area.error()));
    return checked;
  }
  if (!check_header(subject, *area, target, findings)) return checked;
  if (is_removable(target, subject.host)) {
    findings.push_back(
        found(finding::kRemovable,
              fmt::format("{} is on a disk that can be taken out: without it the machine cannot be resumed",
                          name_of(target)),
              "leave it in while the machine is off, or use swap on a fixed disk"));
  }
  checked.facts = facts_of(*area, target, subject.host);
  findings.push_back(
      found(finding::kArea, fmt::format("the image goes to {}, {}: {} bytes, {} of them free",
                                        name_of(target), target.active ? "swapped on" : "not swapped on",
                                        checked.facts->size_bytes, checked.facts->free_bytes)));
  return checked;
}

}  // namespace dormouse
