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

KeyWatcher watch_keys(KeyWatcher::Scope scope) {
  return KeyWatcher::open({STDIN_FILENO, STDERR_FILENO}, scope);
}

}  // namespace

Result<std::unique_ptr<ToolConsole>> ToolConsole::open(std::string_view tool, ProgressDisplay::Mode mode,
                                                       KeyWatcher::Scope scope) {
  // Signals first: keys must not be watched with a fatal signal pending on us.
  auto signals = SignalWatcher::install();
  if (!signals) return std::unexpected(signals.error());
  auto out = MessageOutput::open(STDERR_FILENO);
  if (!out) return std::unexpected(out.error());
  std::unique_ptr<ToolConsole> console(
      new ToolConsole(tool, mode, scope, std::move(*out), std::move(*signals)));
  if (auto r = console->stalls_.prepare(); !r) return std::unexpected(r.error());
  return console;
}

ToolConsole::ToolConsole(std::string_view tool, ProgressDisplay::Mode mode, KeyWatcher::Scope scope,
                         MessageOutput out, SignalWatcher signals)
    : tool_(tool),
      mode_(mode),
      scope_(scope),
      out_(std::move(out)),
      signals_(std::move(signals)),
      keys_(watch_keys(scope)),
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

void ToolConsole::begin_asking() {
  asking_ = true;
  stalls_.stop();
  keys_.restore();
}

void ToolConsole::end_asking() {
  if (!asking_) return;
  asking_ = false;
  keys_ = watch_keys(scope_);
}

void ToolConsole::step(std::string_view name) {
  stalls_.step(name);
  if (!asking_ && std::ranges::find(kUnwatched, name) == kUnwatched.end()) {
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
