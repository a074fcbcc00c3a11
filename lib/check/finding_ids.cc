#include "check/finding_ids.h"

#include <algorithm>
#include <utility>

#include "check/boot_finding_ids.h"

namespace dormouse {

namespace {

// An id outside the tables would be a mistake of ours; nobody must miss what it says.
Finding::Severity severity_of(std::string_view id) {
  const auto kind = std::ranges::find(kFindingKinds, id, &FindingKind::id);
  if (kind != kFindingKinds.end()) return kind->severity;
  const auto boot_kind = std::ranges::find(kBootFindingKinds, id, &FindingKind::id);
  return boot_kind != kBootFindingKinds.end() ? boot_kind->severity : Finding::Severity::kProblem;
}

}  // namespace

Finding found(std::string_view id, std::string what, std::string remedy) {
  const auto severity = severity_of(id);
  return {.severity = severity, .id = id, .what = std::move(what), .remedy = std::move(remedy)};
}

}  // namespace dormouse
