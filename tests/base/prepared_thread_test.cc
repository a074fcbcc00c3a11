#include "base/prepared_thread.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <utility>

namespace dormouse::test {
namespace {

struct Seen {
  int runs = 0;
  std::uintptr_t stack = 0;
  bool signals_blocked = false;
};

void look_around(void* context) {
  auto* seen = static_cast<Seen*>(context);
  ++seen->runs;
  int local = 0;
  seen->stack = reinterpret_cast<std::uintptr_t>(&local);
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  seen->signals_blocked = sigismember(&blocked, SIGTERM) == 1 && sigismember(&blocked, SIGINT) == 1;
}

TEST(PreparedThread, RunsAgainAndAgain) {
  auto thread = PreparedThread::prepare();
  ASSERT_TRUE(thread) << thread.error().what();
  Seen seen;
  for (int i = 1; i <= 3; ++i) {
    EXPECT_FALSE(thread->running());
    ASSERT_TRUE(thread->start(look_around, &seen));
    EXPECT_TRUE(thread->running());
    thread->join();
    EXPECT_EQ(seen.runs, i);
  }
}

TEST(PreparedThread, SeesNoSignalsAndLeavesTheStartersMaskAlone) {
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  auto thread = PreparedThread::prepare();
  Seen seen;
  ASSERT_TRUE(thread->start(look_around, &seen));
  thread->join();
  EXPECT_TRUE(seen.signals_blocked);
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&before, SIGTERM), sigismember(&after, SIGTERM));
}

TEST(PreparedThread, IsJoinedByItsDestructor) {
  Seen seen;
  {
    auto thread = PreparedThread::prepare();
    ASSERT_TRUE(thread->start(look_around, &seen));
  }
  EXPECT_EQ(seen.runs, 1);
}

TEST(PreparedThread, CanBeMovedBeforeItStarts) {
  auto prepared = PreparedThread::prepare();
  PreparedThread thread(std::move(*prepared));
  Seen seen;
  ASSERT_TRUE(thread.start(look_around, &seen));
  thread.join();
  EXPECT_EQ(seen.runs, 1);
}

TEST(PreparedThread, HasRoomForLiblzfsTableOnItsStack) {
  const auto use_stack = [](void* context) {
    volatile char table[700 * 1024];
    for (std::size_t i = 0; i < sizeof table; i += 1024) table[i] = 1;
    *static_cast<int*>(context) = table[1024];
  };
  auto thread = PreparedThread::prepare();
  int result = 0;
  ASSERT_TRUE(thread->start(use_stack, &result));
  thread->join();
  EXPECT_EQ(result, 1);
}

TEST(PreparedThreadDeathTest, RunningOverTheEndOfTheStackEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto overrun = [](void*) {
    volatile char here = 0;
    volatile char* lower = &here;
    for (std::size_t depth = 0; depth < 2 * PreparedThread::kStackBytes; depth += 1024) *(lower -= 1024) = 1;
  };
  EXPECT_DEATH(
      {
        auto thread = PreparedThread::prepare();
        (void)thread->start(overrun, nullptr);
        thread->join();
      },
      "");
}

}  // namespace
}  // namespace dormouse::test
