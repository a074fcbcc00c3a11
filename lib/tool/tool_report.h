/// What both tools put into a report, and where the report goes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dormouse/cycle_observer.h"
#include "dormouse/error.h"

#include "config/settings.h"
#include "report/report.h"
#include "tool/target_area.h"
#include "tool/tool_console.h"

namespace dormouse {

/// A report with all that is known before anything was done.
Report begin_report(std::string_view tool, const Settings& settings,
                    const std::vector<std::string>& warnings);

void add_area(Report& report, const TargetArea& target);
void add_phases(Report& report, const PhaseLog& log);

/// Puts the report on stdout and into its file, and returns the tool's exit code. An error that ended the run
/// has been set with set_failure(); its one line goes to stderr. A report file that cannot be written is an
/// error of its own only if nothing else went wrong.
/// `told`: the error has been said already.
int finish_report(Report& report, const Settings& settings, bool told = false);

/// Puts `text` on stdout and into the report file, if there is to be one.
Result<void> give_text(const std::string& text, const Settings& settings);

/// The values of the settings that other modules have names of their own for.
[[nodiscard]] ProgressDisplay::Mode progress_mode(ProgressMode mode);

/// Workers: as many as asked for, or one a processor, within the library's limits.
[[nodiscard]] unsigned worker_threads(const std::optional<unsigned>& asked);

/// "s2disk: message" on stderr, for what happens before a ToolConsole is there.
void complain(std::string_view tool, std::string_view message);

/// What comes before any work: all warnings, then the text that was asked for. The exit code if that is all
/// there is to do: 0 with a text; 2 with a warning where `strict`, and then nothing else is printed.
[[nodiscard]] std::optional<int> end_before_work(std::string_view tool,
                                                 const std::optional<std::string>& text,
                                                 const std::vector<std::string>& warnings, bool strict);

/// "dormouse 0.1.0"
[[nodiscard]] std::string_view version_text();

}  // namespace dormouse
