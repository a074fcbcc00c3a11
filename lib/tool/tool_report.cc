#include "tool/tool_report.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "kernel/machine_info.h"
#include "kernel/snapshot_file.h"
#include "report/render.h"
#include "report/report_file.h"

namespace dormouse {
namespace {

ReportRendering rendering_of(ReportFormat format) {
  switch (format) {
    case ReportFormat::kJson:
      return ReportRendering::kJson;
    case ReportFormat::kPrometheus:
      return ReportRendering::kPrometheus;
    case ReportFormat::kText:
      break;
  }
  return ReportRendering::kText;
}

Result<void> write_stdout(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return {};
  return fail(Errc::kIo, "write").on("standard output").os(errno);
}

}  // namespace

std::string_view version_text() {
  return "dormouse " DORMOUSE_VERSION;
}

std::optional<int> end_before_work(std::string_view tool, const std::optional<std::string>& text,
                                   const std::vector<std::string>& warnings, bool strict) {
  for (const std::string& warning : warnings) complain(tool, warning);
  if (strict && !warnings.empty()) {
    complain(tool,
             fmt::format("nothing was done: --strict takes every warning for an error, and there were {}; "
                         "mend what is named above, or leave --strict out",
                         warnings.size()));
    return exit_code(Errc::kUsage);
  }
  if (!text) return std::nullopt;
  const auto written = write_stdout(*text);
  if (!written) complain(tool, written.error().what());
  return written ? 0 : exit_code(written.error().code);
}

void complain(std::string_view tool, std::string_view message) {
  std::fputs(fmt::format("{}: {}\n", tool, message).c_str(), stderr);
}

Report begin_report(std::string_view tool, const Settings& settings,
                    const std::vector<std::string>& warnings) {
  Report report;
  report.tool = tool;
  report.kernel = kernel_release();
  report.page_bytes = system_page_bytes();
  if (const auto ram = total_ram_bytes()) report.ram_bytes = *ram;
  report.image.page_bytes = report.page_bytes;
  report.settings.codec = settings.codec.automatic ? "auto" : codec_name(settings.codec.spec.id);
  report.settings.level = settings.codec.automatic ? 0 : settings.codec.spec.level;
  report.settings.early_writeout = settings.early_writeout;
  report.settings.io = settings.io;
  report.settings.threads = worker_threads(settings.threads);
  report.warnings = warnings;
  return report;
}

void add_area(Report& report, const TargetArea& target) {
  report.device = {.path = target.path, .offset_pages = target.header_page};
}

void add_phases(Report& report, const PhaseLog& log) {
  for (const PhaseTime& phase : log.phases()) {
    const bool moves_image = phase.name == "write" || phase.name == "verify" || phase.name == "read";
    report.phases.push_back({.name = std::string(phase.name),
                             .ns = phase.duration_ns,
                             .bytes = moves_image ? report.image.bytes() : 0});
  }
}

Result<void> give_text(const std::string& text, const Settings& settings) {
  Result<void> given = write_stdout(text);
  if (settings.report_file.empty()) return given;
  auto copied = write_report_file(settings.report_file, text);
  return given ? copied : given;
}

int finish_report(Report& report, const Settings& settings, bool told) {
  // A person reads the error once, on stderr; a program finds it in its own report.
  Report shown = report;
  if (settings.report == ReportFormat::kText) shown.error.reset();
  const std::string text = render(shown, rendering_of(settings.report));
  const Result<void> given = give_text(text, settings);
  if (report.error) {
    if (!told) complain(report.tool, report.error->what());
  } else if (!given) {
    complain(report.tool, given.error().what());
    return exit_code(given.error().code);
  }
  return report.exit_code;
}

ProgressDisplay::Mode progress_mode(ProgressMode mode) {
  switch (mode) {
    case ProgressMode::kBar:
      return ProgressDisplay::Mode::kBar;
    case ProgressMode::kPlain:
      return ProgressDisplay::Mode::kPlain;
    case ProgressMode::kNone:
      return ProgressDisplay::Mode::kNone;
    case ProgressMode::kAuto:
      break;
  }
  return ProgressDisplay::Mode::kAuto;
}

unsigned worker_threads(const std::optional<unsigned>& asked) {
  return std::clamp(asked.value_or(usable_cpus()), 1U, kMaxThreads);
}

}  // namespace dormouse
