#include "check/finding.h"

#include <algorithm>

namespace dormouse {

std::string_view severity_name(Finding::Severity severity) {
  switch (severity) {
    case Finding::Severity::kProblem:
      return "problem";
    case Finding::Severity::kWarning:
      return "warning";
    case Finding::Severity::kNote:
      return "note";
  }
  return "problem";
}

bool has_problem(const Findings& findings) {
  return std::ranges::any_of(
      findings, [](const Finding& finding) { return finding.severity == Finding::Severity::kProblem; });
}

}  // namespace dormouse
