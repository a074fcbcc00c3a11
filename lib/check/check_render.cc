#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "check/machine_check.h"

namespace dormouse {
namespace {

using Json = nlohmann::ordered_json;

std::string counted(std::ptrdiff_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

Json area_json(const std::optional<AreaFacts>& area) {
  if (!area) return nullptr;
  return {
      {"path", area->path},
      {"offset_pages", area->offset_pages},
      {"swap_file", area->swap_file.empty() ? Json(nullptr) : Json(area->swap_file)},
      {"active", area->active},
      {"size_bytes", area->size_bytes},
      {"free_bytes", area->free_bytes},
  };
}

Json memory_json(const MachineCheck& check) {
  if (!check.memory) return nullptr;
  return {
      {"needed_bytes", check.own_bytes},
      {"available_bytes", check.memory->available},
      {"in_use_bytes", check.memory->saveable()},
      {"droppable_bytes", check.memory->droppable},
      {"swappable_bytes", check.memory->swappable},
      {"image_limit_bytes", check.memory->limit},
  };
}

Json prediction_json(const MachineCheck& check) {
  if (!check.prediction) return nullptr;
  return {
      {"size_cap_bytes", check.size_cap_bytes},
      {"image_bytes", check.prediction->image_bytes},
      {"swapped_out_bytes", check.prediction->swapped_out_bytes},
      {"codec", check.prediction->codec},
      {"ratio", check.prediction->ratio},
      {"sampled_bytes", check.prediction->sampled_bytes},
      {"stored_bytes", check.prediction->stored_bytes},
      {"least_bytes", check.prediction->least_bytes},
  };
}

Json findings_json(const Findings& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"severity", severity_name(finding.severity)},
                    {"id", finding.id},
                    {"what", finding.what},
                    {"remedy", finding.remedy}});
  }
  return list;
}

}  // namespace

std::string check_text(const MachineCheck& check) {
  std::string text;
  for (const Finding& finding : check.findings) {
    text += fmt::format("{}: {}\n", severity_name(finding.severity), finding.what);
    if (!finding.remedy.empty()) text += fmt::format("    {}\n", finding.remedy);
  }
  const auto problems = std::ranges::count(check.findings, Finding::Severity::kProblem, &Finding::severity);
  const auto warnings = std::ranges::count(check.findings, Finding::Severity::kWarning, &Finding::severity);
  if (problems > 0) {
    text += fmt::format("{} and {}: this machine cannot hibernate as it is\n", counted(problems, "problem"),
                        counted(warnings, "warning"));
  } else if (warnings > 0) {
    text += fmt::format("{}: this machine can hibernate now\n", counted(warnings, "warning"));
  } else {
    text += "nothing to fix: this machine can hibernate\n";
  }
  return text;
}

std::string check_json(const MachineCheck& check) {
  const Json object = {
      {"schema", "dormouse-check/1"},
      {"tool", "s2disk"},
      {"result", has_problem(check.findings) ? "problems" : "ok"},
      {"exit_code", check.exit_code()},
      {"kernel", check.kernel},
      {"page_bytes", check.page_bytes},
      {"ram_bytes", check.memory ? check.memory->total : 0},
      {"area", area_json(check.area)},
      {"memory", memory_json(check)},
      {"prediction", prediction_json(check)},
      {"findings", findings_json(check.findings)},
  };
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace dormouse
