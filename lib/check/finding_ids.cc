#include "check/finding_ids.h"

#include <algorithm>
#include <utility>

namespace dormouse {

Finding found(std::string_view id, std::string what, std::string remedy) {
  const auto kind = std::ranges::find(kFindingKinds, id, &FindingKind::id);
  // An id outside the table would be a mistake of ours; nobody must miss what it says.
  const auto severity = kind != kFindingKinds.end() ? kind->severity : Finding::Severity::kProblem;
  return {.severity = severity, .id = id, .what = std::move(what), .remedy = std::move(remedy)};
}

}  // namespace dormouse
