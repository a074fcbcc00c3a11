#include "area/area_resolver.h"

#include <algorithm>
#include <cstdlib>

#include "area/candidate.h"
#include "area/device_name.h"
#include "area/mark_search.h"
#include "area/named_area.h"
#include "kernel/active_swaps.h"
#include "kernel/device_number.h"
#include "kernel/kernel_line.h"
#include "kernel/text_file.h"

namespace dormouse {
namespace {

constexpr std::string_view kKernelLine = "resume= of the kernel command line";

/// Nothing where this boot was told nothing, or where that cannot be read.
NamedArea told_by_kernel_line(const Host& host) {
  const auto text = read_text_file(host.paths.proc + "/cmdline", host.calls);
  if (!text) return {};
  KernelLine line = parse_kernel_line(*text);
  if (line.resume.empty() || line.resume == "none") return {};
  return {.resume_device = std::move(line.resume),
          .resume_offset_pages = line.resume_offset,
          .origin = std::string(kKernelLine)};
}

NamedArea told_by_kernel(const Host& host) {
  const std::string path = host.paths.sys + "/power/resume";
  const auto device = read_text_file(path, host.calls);
  const auto number = device ? parse_device_number(trimmed(*device)) : std::nullopt;
  if (!number || *number == 0) return {};
  NamedArea told{.resume_device = std::string(trimmed(*device)), .resume_offset_pages = {}, .origin = path};
  if (const auto offset = read_text_file(path + "_offset", host.calls))
    told.resume_offset_pages = std::strtoull(offset->c_str(), nullptr, 10);
  return told;
}

/// The one that the next boot looks at by itself, if it is among them.
std::vector<Candidate>::const_iterator told_one(const std::vector<Candidate>& usable, const Host& host) {
  const NamedArea told = told_by_kernel_line(host);
  if (told.resume_device.empty()) return usable.end();
  const auto thing = look_up_name(told.resume_device, host);
  if (!thing || !*thing || (*thing)->kind != NamedThing::Kind::kBlockDevice) return usable.end();
  return std::ranges::find_if(usable, [&](const Candidate& candidate) {
    return candidate.target.device_number == (*thing)->device_number &&
           candidate.target.header_page == told.resume_offset_pages.value_or(0);
  });
}

Error nothing_fits(const std::vector<PassedOver>& passed_over) {
  // An error has room for so much.
  constexpr std::size_t kMostBytes = 500;
  std::string text;
  for (std::size_t i = 0; i < passed_over.size(); ++i) {
    const std::string one =
        fmt::format("{}{}: {}", i == 0 ? "" : "; ", passed_over[i].path, passed_over[i].reason);
    if (text.size() + one.size() > kMostBytes) {
      text += fmt::format("{} and {} more", text.empty() ? passed_over[i].path : "", passed_over.size() - i);
      break;
    }
    text += one;
  }
  return fail(Errc::kImpossible, kFindArea)
      .because(
          "no active swap area will do. {}. Make another (mkswap, swapon), or name one with --resume-device",
          text)
      .error();
}

Result<AreaSearch> find_best(const std::vector<ActiveSwap>& swaps, const SearchOptions& options,
                             const Host& host) {
  if (swaps.empty()) {
    return fail(Errc::kImpossible, kFindArea)
        .because("no swap is on: make some (mkswap, swapon), or name an area with --resume-device");
  }
  Candidates candidates = sort_candidates(swaps, options, host);
  if (candidates.usable.empty()) return std::unexpected(nothing_fits(candidates.passed_over));
  // The first of the largest: by priority, then as the kernel lists them.
  const auto largest = std::ranges::max_element(candidates.usable, {}, &Candidate::free_bytes);
  const auto told = told_one(candidates.usable, host);
  const auto& best = told != candidates.usable.end() ? *told : *largest;
  AreaSearch search{.target = best.target, .passed_over = std::move(candidates.passed_over), .notes = {}};
  if (best.free_bytes < largest->free_bytes) {
    search.notes.push_back(fmt::format(
        "{} is taken, since {} names it; {} has more room ({} bytes against {})", best.target.path,
        kKernelLine, largest->target.path, largest->free_bytes, best.free_bytes));
  }
  return search;
}

}  // namespace

Result<AreaSearch> find_area(const NamedArea& named, const SearchOptions& options, const Host& host) {
  const auto swaps = read_active_swaps(host.paths, host.calls);
  // File mode needs nothing of the kernel; where /proc is missing nothing is active.
  if (!swaps && !options.allow_file) return std::unexpected(swaps.error());
  const std::vector<ActiveSwap> none;
  if (named.resume_device.empty()) return find_best(swaps ? *swaps : none, options, host);
  return find_named_area(named, AreaUse::kSave, options, swaps ? *swaps : none, host);
}

Result<AreaSearch> find_resume_area(const NamedArea& named, const SearchOptions& options, const Host& host) {
  NamedArea wanted = named;
  if (wanted.resume_device.empty()) wanted = told_by_kernel_line(host);
  if (wanted.resume_device.empty()) wanted = told_by_kernel(host);
  if (wanted.resume_device.empty()) return find_marked_area(host);
  // In an initramfs nothing is swapped on, and /proc may be missing.
  const auto swaps = read_active_swaps(host.paths, host.calls);
  const std::vector<ActiveSwap> none;
  return find_named_area(wanted, AreaUse::kResume, options, swaps ? *swaps : none, host);
}

}  // namespace dormouse
