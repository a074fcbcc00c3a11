#include "console/stall_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "console/channels.h"

namespace dormouse {
namespace {

using test::FakeClock;
using test::Pipe;
using ::testing::HasSubstr;

class StallWatchTest : public ::testing::Test {
 protected:
  void pass_seconds(std::uint64_t seconds) {
    for (std::uint64_t i = 0; i < seconds; ++i) {
      clock_.pass_ms(1000);
      watch_.look();
    }
  }

  Pipe pipe_;
  MessageOutput out_ = MessageOutput::open(pipe_.writer()).value();
  FakeClock clock_;
  StallWatch watch_{"s2disk", out_, clock_};
};

TEST_F(StallWatchTest, SaysSoAfterTenSecondsWithTheStepsName) {
  watch_.step("write");
  watch_.moved(2'500'000);
  pass_seconds(9);
  EXPECT_EQ(pipe_.read(), "");
  pass_seconds(1);
  EXPECT_THAT(pipe_.read(),
              HasSubstr("s2disk: no progress for 10 s in step \"write\" (2.5 MB done): the device or the "
                        "kernel does not answer"));
}

TEST_F(StallWatchTest, RepeatsItselfEverMoreRarely) {
  watch_.step("mark");
  pass_seconds(100);
  const auto text = pipe_.read();
  EXPECT_EQ(std::ranges::count(text, '\n'), 3) << text;
  EXPECT_THAT(text, HasSubstr("for 30 s"));
  EXPECT_THAT(text, HasSubstr("for 90 s"));
}

TEST_F(StallWatchTest, IsSilentWhileSomethingMoves) {
  watch_.step("write");
  for (std::uint64_t i = 0; i < 60; ++i) {
    watch_.moved(i / 5);
    pass_seconds(1);
  }
  watch_.step("mark");
  pass_seconds(9);
  EXPECT_EQ(pipe_.read(), "");
}

TEST_F(StallWatchTest, TheSameCountIsNoProgress) {
  watch_.step("write");
  for (std::uint64_t i = 0; i < 10; ++i) {
    watch_.moved(77);
    pass_seconds(1);
  }
  EXPECT_THAT(pipe_.read(), HasSubstr("no progress for 10 s"));
}

TEST_F(StallWatchTest, ItsThreadLooksByItselfAndEndsAtOnce) {
  ASSERT_TRUE(watch_.prepare());
  watch_.step("read");
  clock_.pass_ms(11'000);
  watch_.start();
  watch_.start();
  std::string text;
  while (text.empty()) {
    std::this_thread::yield();
    text = pipe_.read();
  }
  EXPECT_THAT(text, HasSubstr("in step \"read\""));
  watch_.stop();
  watch_.stop();
  watch_.start();
}

}  // namespace
}  // namespace dormouse
