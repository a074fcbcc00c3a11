#include "tool/tool_console.h"

#include <unistd.h>

#include <array>

namespace dormouse {
namespace {

struct Announcement {
  std::string_view step;
  std::string_view text;
};
// What a person is told; the other steps take no time worth a line.
constexpr std::array<Announcement, 4> kAnnouncements = {{{"freeze", "freezing user space"},
                                                         {"snapshot", "taking the snapshot"},
                                                         {"jump", "waking the machine that was saved"},
                                                         {"power off", "the image is safe; powering off"}}};

}  // namespace

Result<std::unique_ptr<ToolConsole>> ToolConsole::open(std::string_view tool, ProgressDisplay::Mode mode,
                                                       KeyWatcher::Scope scope) {
  // Signals first: keys must not be watched with a fatal signal pending on us.
  auto signals = SignalWatcher::install();
  if (!signals) return std::unexpected(signals.error());
  auto out = MessageOutput::open(STDERR_FILENO);
  if (!out) return std::unexpected(out.error());
  auto keys = KeyWatcher::open({STDIN_FILENO, STDERR_FILENO}, scope);
  return std::unique_ptr<ToolConsole>(new ToolConsole(tool, mode, std::move(*out), std::move(keys),
                                                      std::move(*signals)));  // NOLINT: private constructor
}

ToolConsole::ToolConsole(std::string_view tool, ProgressDisplay::Mode mode, MessageOutput out,
                         KeyWatcher keys, SignalWatcher signals)
    : tool_(tool),
      mode_(mode),
      out_(std::move(out)),
      signals_(std::move(signals)),
      keys_(std::move(keys)),
      progress_(mode, out_, clock_, &keys_, &signals_) {}

void ToolConsole::freezing() {
  out_.freeze();
}
void ToolConsole::thawed() {
  out_.thaw();
}

void ToolConsole::step(std::string_view name) {
  if (mode_ == ProgressDisplay::Mode::kNone) return;
  for (const Announcement& a : kAnnouncements) {
    if (a.step == name) say("{}", a.text);
  }
}

bool ToolConsole::reboot_chosen() {
  (void)keys_.stop_requested();
  return keys_.reboot_chosen();
}

}  // namespace dormouse
