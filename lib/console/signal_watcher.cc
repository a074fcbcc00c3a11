#include "console/signal_watcher.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

namespace dormouse {
namespace {

/// True if whoever started us wants the signal to have no effect.
bool ignored(int signal) {
  struct sigaction action{};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Result<SignalWatcher> SignalWatcher::install() {
  SignalWatcher watcher;
  sigemptyset(&watcher.stopping_);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM}) {
    if (!ignored(signal)) sigaddset(&watcher.stopping_, signal);
  }
  sigset_t taken;
  sigemptyset(&taken);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) sigaddset(&taken, signal);
  sigset_t blocked = taken;
  for (const int signal : {SIGTSTP, SIGTTIN, SIGTTOU}) sigaddset(&blocked, signal);

  UniqueFd signals(::signalfd(-1, &taken, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!signals.valid()) return fail(Errc::kIo, "signalfd").os(errno);
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  if (::sigaction(SIGPIPE, &ignore, &watcher.saved_pipe_) != 0) return fail(Errc::kIo, "sigaction").os(errno);
  if (const int error = ::pthread_sigmask(SIG_BLOCK, &blocked, &watcher.saved_mask_); error != 0) {
    ::sigaction(SIGPIPE, &watcher.saved_pipe_, nullptr);
    return fail(Errc::kIo, "pthread_sigmask").os(error);
  }
  watcher.signals_ = std::move(signals);  // from here on the destructor puts things back
  return watcher;
}

SignalWatcher::SignalWatcher(SignalWatcher&& other) noexcept = default;

SignalWatcher::~SignalWatcher() {
  if (!signals_.valid()) return;  // moved from
  (void)stop_requested();         // what came too late must not end the program before its report
  ::sigaction(SIGPIPE, &saved_pipe_, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &saved_mask_, nullptr);
}

bool SignalWatcher::stop_requested() {
  (void)signalled_again();
  return stop_signal_ != 0;
}

bool SignalWatcher::signalled_again() {
  bool asked = false;
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    const auto signal = static_cast<int>(info.ssi_signo);
    if (sigismember(&stopping_, signal) != 1) continue;
    asked = true;
    if (stop_signal_ == 0) stop_signal_ = signal;
  }
  return asked;
}

}  // namespace dormouse
