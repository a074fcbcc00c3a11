#include "check/machine_check.h"

#include <algorithm>

#include "check/finding_ids.h"
#include "kernel/active_swaps.h"
#include "kernel/machine_info.h"

namespace dormouse {
namespace {

void add(Findings& all, Findings some) {
  for (Finding& finding : some) all.push_back(std::move(finding));
}

std::uint64_t free_swap(const Host& host) {
  std::uint64_t free = 0;
  if (const auto swaps = read_active_swaps(host.paths, host.calls)) {
    for (const ActiveSwap& swap : *swaps)
      free += swap.size_bytes - std::min(swap.used_bytes, swap.size_bytes);
  }
  return free;
}

/// Problems first, then warnings, then notes; each in the order in which they were found.
Findings by_severity(Findings findings) {
  using enum Finding::Severity;
  Findings sorted;
  for (const auto severity : {kProblem, kWarning, kNote}) {
    for (Finding& finding : findings) {
      if (finding.severity == severity) sorted.push_back(std::move(finding));
    }
  }
  return sorted;
}

bool holds(const Findings& findings, std::string_view id) {
  return std::ranges::find(findings, id, &Finding::id) != findings.end();
}

}  // namespace

int MachineCheck::exit_code() const {
  return has_problem(findings) ? dormouse::exit_code(Errc::kImpossible) : 0;
}

MachineCheck check_machine(const CheckInput& input, const Result<AreaSearch>& search) {
  const CheckSubject subject{.settings = input.settings,
                             .host = input.host,
                             .page_bytes = input.page_bytes,
                             .target = search ? std::optional(search->target) : std::nullopt,
                             .root = input.root};
  MachineCheck check;
  check.kernel = kernel_release();
  check.page_bytes = input.page_bytes;
  check.own_bytes = input.own_bytes;
  if (const auto memory = read_memory_figures(input.host, input.page_bytes)) {
    check.memory = *memory;
    check.size_cap_bytes = input.settings.image_size.bytes(memory->total);
  }
  add(check.findings, check_kernel(subject));
  add(check.findings, check_settings_here(subject, check.memory));
  auto area = check_area(subject, search);
  add(check.findings, std::move(area.findings));
  check.area = std::move(area.facts);
  if (input.boot) add(check.findings, input.boot(subject));
  if (check.memory) {
    const auto findings = check_memory(*check.memory, free_swap(input.host), input.own_bytes);
    // Where no image could be made, nothing can be said about its size.
    if (check.area && !holds(findings, finding::kTooMuchInUse)) {
      auto room = check_room(subject, *check.area, *check.memory, input.swap_file_extents);
      add(check.findings, std::move(room.findings));
      check.prediction = std::move(room.prediction);
    }
    add(check.findings, findings);
  }
  check.findings = by_severity(std::move(check.findings));
  return check;
}

}  // namespace dormouse
