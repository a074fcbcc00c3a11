/// s2disk: parse, run, report, exit code.
#include <cstdio>
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
  if (options->text) {
    std::fputs(options->text->c_str(), stdout);
    return 0;
  }
  for (const std::string& warning : options->warnings) complain("s2disk", warning);
  Report report = begin_report("s2disk", options->settings, options->warnings);
  const auto done = options->from_file.empty() ? suspend_machine(options->settings, report)
                                               : store_file(options->settings, options->from_file, report);
  if (!done) report.set_failure(done.error());
  return finish_report(report, options->settings);
}
