#include "report/render.h"

namespace dormouse {

Result<ReportRendering> parse_report_rendering(std::string_view text) {
  if (text == "text") return ReportRendering::kText;
  if (text == "json") return ReportRendering::kJson;
  if (text == "prometheus") return ReportRendering::kPrometheus;
  return fail(Errc::kUsage, "read the kind of report")
      .because("'{}' is none of text, json, prometheus", text);
}

std::string render(const Report& report, ReportRendering rendering) {
  switch (rendering) {
    case ReportRendering::kText:
      return render_text(report);
    case ReportRendering::kJson:
      return render_json(report);
    case ReportRendering::kPrometheus:
      return render_prometheus(report);
  }
  return {};
}

}  // namespace dormouse
