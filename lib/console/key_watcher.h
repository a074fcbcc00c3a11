/// The keys that stop a hibernation: Backspace stops, `r` chooses reboot instead of power-off.
#pragma once

#include <initializer_list>

#include "console/single_keys.h"

namespace dormouse {

/// Reads single keys from a terminal, without echo and without waiting, and puts the terminal back as it was
/// when destroyed. Does nothing where there is no such terminal: that is no error. Never allocates after it
/// was made, so it is made before the freeze and used throughout. One thread at a time. Keep the signals of
/// SignalWatcher blocked around it (see SingleKeys).
class KeyWatcher {
 public:
  using Scope = SingleKeys::Scope;

  /// Watches nothing.
  KeyWatcher() = default;
  /// Takes the first of `candidates` (descriptors, only looked at) that is a terminal within `scope` and not
  /// in the hands of another job. Example: KeyWatcher::open({STDIN_FILENO, STDERR_FILENO}, Scope::kConsoles).
  static KeyWatcher open(std::initializer_list<int> candidates, Scope scope);

  /// True if there is a terminal; say "press Backspace to stop" only then.
  [[nodiscard]] bool active() const { return terminal_.valid(); }
  /// Reads the keys that are there; true once Backspace was among them.
  [[nodiscard]] bool stop_requested();
  /// Whether `r` was pressed an odd number of times, up to the last stop_requested().
  [[nodiscard]] bool reboot_chosen() const { return reboot_; }
  /// For a question: the next key that was pressed, one that stops or `r` included; 0 if there is none. A
  /// terminal that hung up has none.
  [[nodiscard]] char next_key();
  /// Forgets the keys that were pressed so far: they were no answer.
  void drop_keys() { terminal_.drop_keys(); }
  /// Gives the terminal back early; the answers stay.
  void restore() { terminal_.restore(); }

 private:
  SingleKeys terminal_;
  bool stop_ = false;
  bool reboot_ = false;
};

}  // namespace dormouse
