/// A terminal that gives single keys and shows none of them.
#pragma once

#include <termios.h>

#include <cstdint>
#include <initializer_list>

#include "base/unique_fd.h"

namespace dormouse {

/// A descriptor of our own for a terminal, without echo and without waiting, and the terminal put back as it
/// was when destroyed. Keep the signals of SignalWatcher blocked around it: a fatal signal would leave the
/// terminal as it is here, and a terminal stops (SIGTTOU) those in the background who change it. Never
/// allocates.
class SingleKeys {
 public:
  enum class Scope : std::uint8_t {
    kConsoles,     ///< console or virtual terminal: for a machine about to be frozen
    kAnyTerminal,  ///< pseudo-terminals too: nothing will be frozen
  };
  enum class Interrupt : std::uint8_t {
    kSignal,  ///< Ctrl-C and its like become signals, as usual
    kKey,     ///< they are keys like others
  };

  /// No terminal.
  SingleKeys() = default;
  /// Takes the first of `candidates` (descriptors, only looked at) that is a terminal within `scope` and not
  /// in the hands of another job; keys pressed before are dropped. None: not valid(). `access`: O_RDONLY or
  /// O_RDWR.
  static SingleKeys open(std::initializer_list<int> candidates, Scope scope, Interrupt interrupt, int access);

  SingleKeys(SingleKeys&& other) noexcept;
  SingleKeys& operator=(SingleKeys&& other) noexcept;
  ~SingleKeys() { restore(); }

  [[nodiscard]] bool valid() const { return terminal_.valid(); }
  /// Non-blocking.
  [[nodiscard]] int fd() const { return terminal_.get(); }
  /// Forgets the keys that were pressed so far.
  void drop_keys();
  /// Gives the terminal back early.
  void restore();

 private:
  UniqueFd terminal_;
  termios saved_{};
};

}  // namespace dormouse
