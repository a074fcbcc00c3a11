#include "console/progress_display.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "console/channels.h"
#include "support/allocation_counter.h"

namespace dormouse {
namespace {

using Mode = ProgressDisplay::Mode;
using testing::EndsWith;
using testing::StartsWith;

class ProgressDisplayTest : public testing::Test {
 protected:
  test::FakeClock clock_;
  test::Pipe pipe_;
  test::PseudoTerminal terminal_{60};
  MessageOutput to_pipe_ = std::move(*MessageOutput::open(pipe_.writer(), 16 * 1024));
  MessageOutput to_terminal_ = std::move(*MessageOutput::open(terminal_.tool()));
  MessageOutput to_console_ = std::move(*MessageOutput::open_as(OutputKind::kConsole, terminal_.tool()));
};

TEST_F(ProgressDisplayTest, DrawsABarOnATerminal) {
  ProgressDisplay progress(Mode::kAuto, to_terminal_, clock_, nullptr, nullptr);
  progress.begin("write", 100'000'000);
  EXPECT_EQ(terminal_.read(), "\rwrite   0 % [>                      ]    0.0 MB/s -:-- left");
  clock_.pass_ms(1'000);
  progress.advance(50'000'000);
  EXPECT_EQ(terminal_.read(), "\rwrite  50 % [===========>           ]   50.0 MB/s 0:01 left");
  clock_.pass_ms(1'000);
  progress.advance(100'000'000);
  progress.end();
  EXPECT_THAT(terminal_.read(), EndsWith("\rwrite 100 % [========================]   50.0 MB/s in 2.0 s\n"));
}

TEST_F(ProgressDisplayTest, DrawsTenTimesASecondAtMost) {
  ProgressDisplay progress(Mode::kBar, to_terminal_, clock_, nullptr, nullptr);
  progress.begin("write", 10'000);
  std::string drawn = terminal_.read();
  for (std::uint64_t ms = 1; ms <= 2'000; ++ms) {
    clock_.pass_ms(1);
    progress.advance(ms);
    drawn += terminal_.read();
  }
  EXPECT_EQ(std::ranges::count(drawn, '\r'), 1 + 20);
  EXPECT_EQ(std::ranges::count(drawn, '\n'), 0);
}

TEST_F(ProgressDisplayTest, LeavesTheBarWhereItStopped) {
  ProgressDisplay progress(Mode::kBar, to_terminal_, clock_, nullptr, nullptr);
  progress.begin("write", 100'000'000);
  clock_.pass_ms(1'000);
  progress.advance(30'000'000);
  progress.end();
  EXPECT_THAT(terminal_.read(), EndsWith("\rwrite  30 % [======>                ]   30.0 MB/s 0:02 left\n"));
}

TEST_F(ProgressDisplayTest, SaysALinePerTenPercentElsewhere) {
  ProgressDisplay progress(Mode::kAuto, to_pipe_, clock_, nullptr, nullptr);
  progress.begin("read", 1'000'000);
  for (std::uint64_t done = 0; done <= 1'000'000; done += 1'000) {
    clock_.pass_ms(1);
    progress.advance(done);
  }
  progress.end();
  const auto text = pipe_.read();
  EXPECT_EQ(std::ranges::count(text, '\n'), 10);
  EXPECT_THAT(text, StartsWith("read: 10 % (0.1 of 1.0 MB), 1.0 MB/s, 0:01 left\nread: 20 %"));
  EXPECT_THAT(text, EndsWith("\nread: 100 % (1.0 of 1.0 MB), 1.0 MB/s, in 1.0 s\n"));
}

TEST_F(ProgressDisplayTest, SaysOneLineForALeap) {
  ProgressDisplay progress(Mode::kPlain, to_pipe_, clock_, nullptr, nullptr);
  progress.begin("read", 1'000);
  progress.advance(5'000);  // more than was announced
  EXPECT_THAT(pipe_.read(), StartsWith("read: 100 % "));
  progress.end();
  EXPECT_EQ(pipe_.read(), "");
}

TEST_F(ProgressDisplayTest, BeginsAnewWithEachPhase) {
  ProgressDisplay progress(Mode::kPlain, to_pipe_, clock_, nullptr, nullptr);
  for (const auto* phase : {"write", "verify"}) {
    progress.begin(phase, 1'000);
    progress.advance(1'000);
    progress.end();
  }
  EXPECT_EQ(pipe_.read(),
            "write: 100 % (0.0 of 0.0 MB), 0.0 MB/s, in 0.0 s\nverify: 100 % (0.0 of 0.0 MB), 0.0 MB/s, in "
            "0.0 s\n");
}

TEST_F(ProgressDisplayTest, IsSilentWhereNoneIsWanted) {
  ProgressDisplay progress(Mode::kNone, to_terminal_, clock_, nullptr, nullptr);
  progress.begin("write", 1'000);
  clock_.pass_ms(1'000);
  progress.advance(1'000);
  progress.end();
  EXPECT_EQ(terminal_.read(), "");
  EXPECT_FALSE(progress.stop_requested());
}

TEST_F(ProgressDisplayTest, StopsByKey) {
  auto keys = KeyWatcher::open({terminal_.tool()}, KeyWatcher::Scope::kAnyTerminal);
  ProgressDisplay progress(Mode::kNone, to_terminal_, clock_, &keys, nullptr);
  EXPECT_FALSE(progress.stop_requested());
  terminal_.type("\x7f");
  EXPECT_FALSE(progress.stop_requested());  // looked a moment ago
  clock_.pass_ms(20);
  EXPECT_TRUE(progress.stop_requested());
  EXPECT_TRUE(progress.stop_requested());
}

TEST_F(ProgressDisplayTest, StopsBySignal) {
  auto signals = SignalWatcher::install();
  ASSERT_TRUE(signals);
  ProgressDisplay progress(Mode::kNone, to_terminal_, clock_, nullptr, &*signals);
  ::raise(SIGTERM);
  EXPECT_TRUE(progress.stop_requested());
}

TEST_F(ProgressDisplayTest, AllocatesAndWaitsForNothingWhileFrozen) {
  const test::HangGuard guard;
  auto keys = KeyWatcher::open({terminal_.tool()}, KeyWatcher::Scope::kAnyTerminal);
  auto signals = SignalWatcher::install();
  pipe_.fill();
  ASSERT_EQ(::tcflow(terminal_.tool(), TCOOFF), 0);
  for (auto* out : {&to_pipe_, &to_terminal_, &to_console_}) {
    for (const auto mode : {Mode::kBar, Mode::kPlain, Mode::kNone}) {
      ProgressDisplay progress(mode, *out, clock_, &keys, &*signals);
      out->freeze();
      const test::AllocationCounter allocations;
      progress.begin("write", 1'000'000'000);
      for (std::uint64_t i = 0; i <= 1'000; ++i) {
        clock_.pass_ms(17);
        progress.advance(i * 1'000'000);
        (void)progress.stop_requested();
      }
      progress.end();
      EXPECT_EQ(allocations.count(), 0U);
    }
  }
  ASSERT_EQ(::tcflow(terminal_.tool(), TCOON), 0);
  (void)pipe_.read();
}

TEST(ProgressMode, IsReadFromItsName) {
  EXPECT_EQ(*ProgressDisplay::parse_mode("auto"), Mode::kAuto);
  EXPECT_EQ(*ProgressDisplay::parse_mode("bar"), Mode::kBar);
  EXPECT_EQ(*ProgressDisplay::parse_mode("plain"), Mode::kPlain);
  EXPECT_EQ(*ProgressDisplay::parse_mode("none"), Mode::kNone);
  const auto wrong = ProgressDisplay::parse_mode("dots");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, Errc::kUsage);
  EXPECT_EQ(wrong.error().what(), "read the kind of progress: 'dots' is none of auto, bar, plain, none");
}

}  // namespace
}  // namespace dormouse
