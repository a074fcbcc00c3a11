#include "tool/boot_console.h"

#include "tool/tool_report.h"

namespace dormouse {

void CountdownConsole::say(std::string_view line) {
  out_.print("{}: {}\n", tool_, line);
}

BootConsole::Answer CountdownConsole::ask(const BootQuestion& question) {
  const auto answer = prompt_.ask({.action = question.action,
                                   .now = question.now,
                                   .key = question.key,
                                   .other = question.other,
                                   .seconds = seconds_});
  return answer == CountdownPrompt::Answer::kOther ? Answer::kOther : Answer::kDefault;
}

void SilentConsole::say(std::string_view line) {
  complain(tool_, line);
}

}  // namespace dormouse
