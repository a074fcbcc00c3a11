#include "tool/area_search.h"

#include <fmt/core.h>

#include "tool/tool_report.h"

namespace dormouse {

NamedArea named_area(const Settings& settings) {
  return {.resume_device = settings.resume_device,
          .resume_offset_pages = settings.resume_offset_pages,
          .origin = settings.origin(Key::kResumeDevice).place};
}

SearchOptions patient_search(std::string_view tool) {
  SearchOptions options;
  options.wait = std::chrono::seconds(10);
  options.waiting = [tool](std::string_view line) { complain(tool, line); };
  return options;
}

void tell(std::string_view tool, const AreaSearch& search) {
  for (const auto& [path, reason] : search.passed_over)
    complain(tool, fmt::format("{} is passed over: {}", path, reason));
  for (const std::string& note : search.notes) complain(tool, note);
}

}  // namespace dormouse
