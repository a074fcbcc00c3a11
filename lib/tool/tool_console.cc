#include "tool/tool_console.h"

#include <unistd.h>

#include <algorithm>
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

// Between the last of them and thawed() no other thread may be there.
constexpr std::array<std::string_view, 5> kUnwatched = {"freeze", "snapshot", "jump", "power off", "thaw"};

}  // namespace

Result<std::unique_ptr<ToolConsole>> ToolConsole::open(std::string_view tool, ProgressDisplay::Mode mode,
                                                       KeyWatcher::Scope scope) {
  // Signals first: keys must not be watched with a fatal signal pending on us.
  auto signals = SignalWatcher::install();
  if (!signals) return std::unexpected(signals.error());
  auto out = MessageOutput::open(STDERR_FILENO);
  if (!out) return std::unexpected(out.error());
  auto keys = KeyWatcher::open({STDIN_FILENO, STDERR_FILENO}, scope);
  std::unique_ptr<ToolConsole> console(
      new ToolConsole(tool, mode, std::move(*out), std::move(keys), std::move(*signals)));
  if (auto r = console->stalls_.prepare(); !r) return std::unexpected(r.error());
  return console;
}

ToolConsole::ToolConsole(std::string_view tool, ProgressDisplay::Mode mode, MessageOutput out,
                         KeyWatcher keys, SignalWatcher signals)
    : tool_(tool),
      mode_(mode),
      out_(std::move(out)),
      signals_(std::move(signals)),
      keys_(std::move(keys)),
      stalls_(tool, out_, clock_),
      progress_(mode, out_, clock_, &keys_, &signals_, &stalls_) {}

// A thread that is older than the freeze would be frozen; and where the machine itself is asleep or the
// processors are off, nobody has to watch.
void ToolConsole::freezing() {
  stalls_.stop();
  out_.freeze();
}
void ToolConsole::thawing() {
  stalls_.stop();
}
void ToolConsole::thawed() {
  out_.thaw();
}

void ToolConsole::watch_for_stalls(std::string_view name) {
  stalls_.step(name);
  stalls_.start();
}

void ToolConsole::step(std::string_view name) {
  stalls_.step(name);
  if (std::ranges::find(kUnwatched, name) == kUnwatched.end()) {
    stalls_.start();
  } else {
    stalls_.stop();
  }
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
