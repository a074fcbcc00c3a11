#include "console/single_keys.h"

#include <unistd.h>

#include <utility>

#include "console/terminal.h"

namespace dormouse {
namespace {

/// Single keys, no echo, and no stopping of output by Ctrl-S.
termios single_keys(termios settings, SingleKeys::Interrupt interrupt) {
  settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ECHONL | IEXTEN);
  if (interrupt == SingleKeys::Interrupt::kKey) settings.c_lflag &= ~static_cast<tcflag_t>(ISIG);
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

SingleKeys SingleKeys::open(std::initializer_list<int> candidates, Scope scope, Interrupt interrupt,
                            int access) {
  SingleKeys keys;
  for (const int fd : candidates) {
    const auto kind = classify_output(fd);
    if (kind == OutputKind::kOther || (kind != OutputKind::kConsole && scope == Scope::kConsoles)) continue;
    auto terminal = reopen_terminal(fd, access);
    if (!terminal || in_other_hands(terminal->get()) || ::tcgetattr(terminal->get(), &keys.saved_) != 0)
      continue;
    // TCSANOW, here and later: the others wait until output has drained, for ever on a line that is held.
    const auto settings = single_keys(keys.saved_, interrupt);
    if (::tcsetattr(terminal->get(), TCSANOW, &settings) != 0) continue;
    keys.terminal_ = std::move(*terminal);
    keys.drop_keys();  // pressed before we asked, they mean something else
    break;
  }
  return keys;
}

SingleKeys::SingleKeys(SingleKeys&& other) noexcept
    : terminal_(std::move(other.terminal_)), saved_(other.saved_) {}

SingleKeys& SingleKeys::operator=(SingleKeys&& other) noexcept {
  if (this == &other) return *this;
  restore();
  terminal_ = std::move(other.terminal_);
  saved_ = other.saved_;
  return *this;
}

void SingleKeys::drop_keys() {
  if (terminal_.valid()) ::tcflush(terminal_.get(), TCIFLUSH);
}

void SingleKeys::restore() {
  if (terminal_.valid()) ::tcsetattr(terminal_.get(), TCSANOW, &saved_);
  terminal_.reset();
}

}  // namespace dormouse
