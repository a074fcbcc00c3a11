#include "console/key_watcher.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "console/terminal.h"

namespace dormouse {
namespace {

/// Single keys, no echo, and no stopping of output by Ctrl-S. Signals by key (Ctrl-C) stay: SignalWatcher
/// sees them.
termios single_keys(termios settings) {
  settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ECHONL | IEXTEN);
  settings.c_iflag &= ~static_cast<tcflag_t>(IXON | IXANY);
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  return settings;
}

/// True if our terminal is being used by another job: its shell would find it changed under its hands.
bool in_other_hands(int fd) {
  const auto foreground = ::tcgetpgrp(fd);
  return foreground > 0 && foreground != ::getpgrp();
}

}  // namespace

KeyWatcher KeyWatcher::open(std::initializer_list<int> candidates, Scope scope) {
  KeyWatcher watcher;
  for (const int fd : candidates) {
    const auto kind = classify_output(fd);
    if (kind == OutputKind::kOther || (kind != OutputKind::kConsole && scope == Scope::kConsoles)) continue;
    auto terminal = reopen_terminal(fd, O_RDONLY);
    if (!terminal || in_other_hands(terminal->get()) || ::tcgetattr(terminal->get(), &watcher.saved_) != 0)
      continue;
    // TCSANOW, here and later: the others wait until output has drained, for ever on a line that is held.
    const auto settings = single_keys(watcher.saved_);
    if (::tcsetattr(terminal->get(), TCSANOW, &settings) != 0) continue;
    ::tcflush(terminal->get(), TCIFLUSH);  // keys pressed before we asked mean something else
    watcher.terminal_ = std::move(*terminal);
    break;
  }
  return watcher;
}

KeyWatcher::KeyWatcher(KeyWatcher&& other) noexcept
    : terminal_(std::move(other.terminal_)),
      saved_(other.saved_),
      stop_(other.stop_),
      reboot_(other.reboot_) {}

KeyWatcher& KeyWatcher::operator=(KeyWatcher&& other) noexcept {
  if (this == &other) return *this;
  restore();
  terminal_ = std::move(other.terminal_);
  saved_ = other.saved_;
  stop_ = other.stop_;
  reboot_ = other.reboot_;
  return *this;
}

bool KeyWatcher::stop_requested() {
  constexpr char kBackspace = '\b';
  constexpr char kDelete = 0x7f;  // what most terminals send for Backspace
  std::array<char, 64> keys{};
  // One read: whoever holds a key down must not keep us here.
  const auto got = terminal_.valid() ? ::read(terminal_.get(), keys.data(), keys.size()) : 0;
  for (std::size_t i = 0; got > 0 && i < static_cast<std::size_t>(got); ++i) {
    if (keys[i] == kBackspace || keys[i] == kDelete) stop_ = true;
    if (keys[i] == 'r') reboot_ = !reboot_;
  }
  return stop_;
}

char KeyWatcher::next_key() {
  char key = 0;
  const auto got = terminal_.valid() ? ::read(terminal_.get(), &key, 1) : 0;
  return got == 1 ? key : '\0';
}

void KeyWatcher::drop_keys() {
  if (terminal_.valid()) ::tcflush(terminal_.get(), TCIFLUSH);
}

void KeyWatcher::restore() {
  if (terminal_.valid()) ::tcsetattr(terminal_.get(), TCSANOW, &saved_);
  terminal_.reset();
}

}  // namespace dormouse
