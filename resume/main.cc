/// resume: parse, run, report, exit code.
#include <string>
#include <vector>

#include "config/command_line.h"
#include "resume_tool.h"
#include "tool/tool_report.h"

namespace {

using namespace dormouse;

int load(const Settings& settings, Report& report) {
  const auto done = resume_machine(settings, report);
  if (done) return 0;  // no image: booting goes on
  report.set_failure(done.error());
  return finish_report(report, settings, /*told=*/true);
}

int status(const Settings& settings) {
  if (settings.report == ReportFormat::kPrometheus) {
    complain("resume", "--status has no figures for --report prometheus: use text or json");
    return exit_code(Errc::kUsage);
  }
  const auto found = look_at_area(settings);
  if (!found) {
    complain("resume", found.error().what());
    return exit_code(found.error().code);
  }
  const bool json = settings.report == ReportFormat::kJson;
  const std::string text = json ? render_status_json(*found) : render_status_text(*found);
  if (const auto given = give_text(text, settings); !given) {
    complain("resume", given.error().what());
    return exit_code(given.error().code);
  }
  return found->signature == SwapSignature::kPlain ? exit_code(Errc::kNoImage) : 0;
}

int finish(const Result<void>& done, const Settings& settings, Report& report) {
  if (!done) report.set_failure(done.error());
  return finish_report(report, settings);
}

int discard(const Settings& settings, Report& report) {
  const auto done = discard_image(settings, report);
  if (settings.report != ReportFormat::kText || !settings.report_file.empty())
    return finish(done, settings, report);
  if (!done) {
    complain("resume", done.error().what());
    return exit_code(done.error().code);
  }
  complain("resume", fmt::format("{}: the image is discarded; the swap area has its own header back",
                                 report.device.path));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv, argv + argc);
  const auto options = parse_resume(args);
  if (!options) {
    complain("resume", options.error().what());
    return exit_code(options.error().code);
  }
  const auto ended = end_before_work("resume", options->text, options->warnings, options->strict);
  if (ended) return *ended;
  const Settings& settings = options->settings;
  Report report = begin_report("resume", settings, options->warnings);
  switch (options->action) {
    case ResumeAction::kLoad:
      return load(settings, report);
    case ResumeAction::kExtract:
      return finish(recover_to(settings, options->to_file, report), settings, report);
    case ResumeAction::kVerify:
      return finish(verify_image(settings, report), settings, report);
    case ResumeAction::kStatus:
      return status(settings);
    case ResumeAction::kDiscard:
      return discard(settings, report);
  }
  return 1;
}
