/// s2disk: parse, run or check, report, exit code.
#include <string>
#include <vector>

#include "config/command_line.h"
#include "suspend_tool.h"
#include "tool/tool_report.h"

int main(int argc, char** argv) {
  using namespace dormouse;
  const std::vector<std::string> args(argv, argv + argc);
  const auto options = parse_s2disk(args);
  if (!options) {
    complain("s2disk", options.error().what());
    return exit_code(options.error().code);
  }
  const auto ended = end_before_work("s2disk", options->text, options->warnings, options->strict);
  if (ended) return *ended;
  if (options->check) return check_only(options->settings);
  Report report = begin_report("s2disk", options->settings, options->warnings);
  const auto done = options->from_file.empty() ? suspend_machine(options->settings, report)
                                               : store_file(options->settings, options->from_file, report);
  if (!done) report.set_failure(done.error());
  return finish_report(report, options->settings);
}
