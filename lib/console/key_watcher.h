/// The keys that stop a hibernation: Backspace stops, `r` chooses reboot instead of power-off.
#pragma once

#include <termios.h>

#include <cstdint>
#include <initializer_list>

#include "base/unique_fd.h"

namespace dormouse {

/// Reads single keys from a terminal, without echo and without waiting, and puts the terminal back as it was
/// when destroyed. Does nothing where there is no such terminal: that is no error. Never allocates after it
/// was made, so it is made before the freeze and used throughout. One thread at a time. Keep the signals of
/// SignalWatcher blocked around it: a fatal signal would leave the terminal as it is here, and a terminal
/// stops (SIGTTOU) those in the background who change it.
class KeyWatcher {
 public:
  enum class Scope : std::uint8_t {
    kConsoles,     ///< console or virtual terminal: for a machine about to be frozen
    kAnyTerminal,  ///< pseudo-terminals too: nothing will be frozen
  };

  /// Watches nothing.
  KeyWatcher() = default;
  /// Takes the first of `candidates` (descriptors, only looked at) that is a terminal within `scope` and not
  /// in the hands of another job. Example: KeyWatcher::open({STDIN_FILENO, STDERR_FILENO}, Scope::kConsoles).
  static KeyWatcher open(std::initializer_list<int> candidates, Scope scope);

  KeyWatcher(KeyWatcher&& other) noexcept;
  KeyWatcher& operator=(KeyWatcher&& other) noexcept;
  ~KeyWatcher() { restore(); }

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
  void drop_keys();
  /// Gives the terminal back early; the answers stay.
  void restore();

 private:
  UniqueFd terminal_;
  termios saved_{};
  bool stop_ = false;
  bool reboot_ = false;
};

}  // namespace dormouse
