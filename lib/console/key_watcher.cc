#include "console/key_watcher.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

namespace dormouse {

// Signals by key (Ctrl-C) stay: SignalWatcher sees them.
KeyWatcher KeyWatcher::open(std::initializer_list<int> candidates, Scope scope) {
  KeyWatcher watcher;
  watcher.terminal_ = SingleKeys::open(candidates, scope, SingleKeys::Interrupt::kSignal, O_RDONLY);
  return watcher;
}

bool KeyWatcher::stop_requested() {
  constexpr char kBackspace = '\b';
  constexpr char kDelete = 0x7f;  // what most terminals send for Backspace
  std::array<char, 64> keys{};
  // One read: whoever holds a key down must not keep us here.
  const auto got = terminal_.valid() ? ::read(terminal_.fd(), keys.data(), keys.size()) : 0;
  for (std::size_t i = 0; got > 0 && i < static_cast<std::size_t>(got); ++i) {
    if (keys[i] == kBackspace || keys[i] == kDelete) stop_ = true;
    if (keys[i] == 'r') reboot_ = !reboot_;
  }
  return stop_;
}

char KeyWatcher::next_key() {
  char key = 0;
  const auto got = terminal_.valid() ? ::read(terminal_.fd(), &key, 1) : 0;
  return got == 1 ? key : '\0';
}

}  // namespace dormouse
