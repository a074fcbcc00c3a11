#include "console/signal_watcher.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "console/channels.h"
#include "support/allocation_counter.h"

namespace dormouse {
namespace {

bool blocked(int signal) {
  sigset_t mask;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return sigismember(&mask, signal) == 1;
}

TEST(SignalWatcher, SeesWhatAsksToStop) {
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM}) {
    auto signals = SignalWatcher::install();
    ASSERT_TRUE(signals);
    EXPECT_FALSE(signals->stop_requested());
    ::raise(signal);
    EXPECT_TRUE(signals->stop_requested());
    EXPECT_TRUE(signals->stop_requested());
    EXPECT_EQ(signals->stop_signal(), signal);
  }
}

TEST(SignalWatcher, SeesSignalsToTheProcess) {
  auto signals = SignalWatcher::install();
  ::kill(::getpid(), SIGTERM);
  EXPECT_TRUE(signals->stop_requested());
}

TEST(SignalWatcher, TellsASecondSignalFromTheFirst) {
  auto signals = SignalWatcher::install();
  ASSERT_TRUE(signals);
  EXPECT_FALSE(signals->signalled_again());
  ::raise(SIGTERM);
  EXPECT_TRUE(signals->stop_requested());
  EXPECT_FALSE(signals->signalled_again()) << "it has been seen";
  ::raise(SIGHUP);
  EXPECT_FALSE(signals->signalled_again());
  ::raise(SIGINT);
  EXPECT_TRUE(signals->signalled_again());
  EXPECT_FALSE(signals->signalled_again());
  EXPECT_EQ(signals->stop_signal(), SIGTERM) << "the first";
}

TEST(SignalWatcher, GoesOnWhenTheUserHasLeft) {
  auto signals = SignalWatcher::install();
  ::raise(SIGHUP);
  EXPECT_FALSE(signals->stop_requested());
}

TEST(SignalWatcher, IsNeitherStoppedNorEndedByPipes) {
  const test::HangGuard guard;
  auto signals = SignalWatcher::install();
  for (const int signal : {SIGTSTP, SIGTTIN, SIGTTOU}) {
    EXPECT_TRUE(blocked(signal));
    ::raise(signal);
  }
  ::raise(SIGCONT);  // discards those that are pending: let go, they would stop the test itself
  test::Pipe pipe;
  pipe.close_reader();
  EXPECT_EQ(::write(pipe.writer(), "x", 1), -1);
  EXPECT_FALSE(signals->stop_requested());
}

TEST(SignalWatcher, RespectsASignalThatWasIgnored) {
  const auto before = ::signal(SIGINT, SIG_IGN);  // as for `s2disk &` in a script
  {
    auto signals = SignalWatcher::install();
    ::raise(SIGINT);
    EXPECT_FALSE(signals->stop_requested());
    ::raise(SIGTERM);
    EXPECT_TRUE(signals->stop_requested());
  }
  ::signal(SIGINT, before);
}

TEST(SignalWatcher, PutsEverythingBack) {
  const auto pipe_before = ::signal(SIGPIPE, SIG_DFL);
  {
    auto first = SignalWatcher::install();
    EXPECT_TRUE(blocked(SIGTERM));
    const auto second = std::move(*first);
    EXPECT_TRUE(blocked(SIGTERM));
    struct sigaction action{};
    ::sigaction(SIGPIPE, nullptr, &action);
    EXPECT_EQ(action.sa_handler, SIG_IGN);
  }
  EXPECT_FALSE(blocked(SIGTERM));
  EXPECT_FALSE(blocked(SIGTSTP));
  EXPECT_EQ(::signal(SIGPIPE, pipe_before), SIG_DFL);
}

TEST(SignalWatcher, DropsASignalThatCameTooLate) {
  const auto child = ::fork();
  if (child == 0) {
    {
      const auto signals = SignalWatcher::install();
      ::raise(SIGTERM);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "it would have ended the program before its report";
}

TEST(SignalWatcher, AllocatesNothing) {
  auto signals = SignalWatcher::install();
  ::raise(SIGHUP);
  const test::AllocationCounter allocations;
  EXPECT_FALSE(signals->stop_requested());
  EXPECT_EQ(allocations.count(), 0U);
}

}  // namespace
}  // namespace dormouse
