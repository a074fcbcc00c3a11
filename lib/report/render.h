/// The three faces of a report.
#pragma once

#include <string>
#include <string_view>

#include "dormouse/error.h"

#include "report/report.h"

namespace dormouse {

enum class ReportRendering : std::uint8_t { kText, kJson, kPrometheus };

/// Reads "text", "json", "prometheus". kUsage names what was wrong and lists what there is.
Result<ReportRendering> parse_report_rendering(std::string_view text);

/// The report as text, ending in a newline. Allocates. All numbers are finite: a rate over no time is 0.
/// Bytes that are no UTF-8 and control characters in names never reach the output as they are.
[[nodiscard]] std::string render(const Report& report, ReportRendering rendering);

/// For a person: aligned columns, MB = 10^6 bytes. What was not measured is left out.
[[nodiscard]] std::string render_text(const Report& report);

/// One JSON object, schema "dormouse-report/1": exactly the keys that the man page lists, in its order. Keys
/// may be added in later versions, never renamed or removed. `error` is the message or null; `write` and
/// `read` are null where nothing was written or read.
[[nodiscard]] std::string render_json(const Report& report);

/// Prometheus text exposition format 0.0.4, for node_exporter's textfile collector. Every sample carries the
/// label `tool`, so that the files of s2disk and resume can lie side by side. Base units: seconds, bytes,
/// ratios.
[[nodiscard]] std::string render_prometheus(const Report& report);

}  // namespace dormouse
