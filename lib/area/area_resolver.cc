#include "area/area_resolver.h"

#include <algorithm>

#include "area/candidate.h"
#include "area/device_name.h"
#include "area/mark_search.h"
#include "area/named_area.h"
#include "area/told_area.h"
#include "kernel/active_swaps.h"

namespace dormouse {
namespace {

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
  const auto told = std::ranges::find(candidates.usable, true, &Candidate::told);
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
  auto search = find_named_area(wanted, AreaUse::kResume, options, swaps ? *swaps : none, host);
  if (!search || !named.resume_device.empty()) return search;
  // s2disk may have chosen another one, with more room.
  if (!is_plain_swap(search->target, options.page_bytes, host)) return search;
  auto marked = find_marked_area(host);
  const bool nowhere = !marked && marked.error().code == Errc::kNoImage;
  return nowhere ? search : marked;
}

}  // namespace dormouse
