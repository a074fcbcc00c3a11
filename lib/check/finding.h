/// What `s2disk --check` found: everything at once, each with its remedy.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dormouse {

struct Finding {
  enum class Severity {
    kProblem,  ///< hibernation or resume would fail: exit code 6
    kWarning,  ///< it works now, and may not always
    kNote,     ///< nothing to do: what was found, chosen or foreseen, with its numbers
  };
  Severity severity = Severity::kProblem;
  std::string_view id;  ///< stable, kebab-case, one per cause; part of the JSON contract: "swap-too-small"
  std::string what;     ///< what is so, with place and numbers; no full stop at the end
  std::string remedy;   ///< what to do; empty for a note
};

using Findings = std::vector<Finding>;

/// "problem", "warning", "note".
[[nodiscard]] std::string_view severity_name(Finding::Severity severity);

/// Is there anything that has to be mended?
[[nodiscard]] bool has_problem(const Findings& findings);

}  // namespace dormouse
