/// Signals as something to look at, not something that interrupts.
#pragma once

#include <signal.h>

#include "dormouse/error.h"

#include "base/unique_fd.h"

namespace dormouse {

/// While it lives, the signals that would end or stop the process half-way are held off, in this thread and
/// in those it makes from now on: make it before any other thread.
///   - SIGINT, SIGQUIT, SIGTERM: seen by stop_requested(), unless they were ignored when it was made (nohup,
///   `&`)
///   - SIGHUP: taken, and disregarded: the user has left, the machine is to sleep all the same
///   - SIGTSTP, SIGTTIN, SIGTTOU: blocked; a stopped process cannot thaw the machine
///   - SIGPIPE: ignored; a reader of messages that went away is no reason to die
/// The destructor puts mask and SIGPIPE back; what came until then and was too late to stop anything is
/// dropped. stop_requested() does not wait or allocate. One thread, the one that made it.
class SignalWatcher {
 public:
  static Result<SignalWatcher> install();

  SignalWatcher(SignalWatcher&& other) noexcept;
  SignalWatcher& operator=(SignalWatcher&&) = delete;
  ~SignalWatcher();

  /// True once a signal has asked to stop.
  [[nodiscard]] bool stop_requested();
  /// True if one has since this or stop_requested() was asked last: for a question that comes after a stop.
  [[nodiscard]] bool signalled_again();
  /// The first signal that did, or 0.
  [[nodiscard]] int stop_signal() const { return stop_signal_; }

 private:
  SignalWatcher() = default;

  UniqueFd signals_;
  sigset_t stopping_{};
  sigset_t saved_mask_{};
  struct sigaction saved_pipe_{};
  int stop_signal_ = 0;
};

}  // namespace dormouse
