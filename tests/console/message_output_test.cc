#include "console/message_output.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "console/channels.h"
#include "support/allocation_counter.h"

namespace dormouse {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

MessageOutput open(int fd) {
  return std::move(*MessageOutput::open(fd));
}
MessageOutput open_console(const test::PseudoTerminal& terminal) {
  return std::move(*MessageOutput::open_as(OutputKind::kConsole, terminal.tool()));
}

TEST(MessageOutput, WritesAtOnceWhileLive) {
  const test::Pipe pipe;
  auto out = open(pipe.writer());
  out.print("writing {} pages\n", 12);
  EXPECT_EQ(pipe.read(), "writing 12 pages\n");
}

TEST(MessageOutput, HoldsTextForAPipeUntilTheThaw) {
  const test::Pipe pipe;
  auto out = open(pipe.writer());
  out.freeze();
  out.write("one\n");
  out.write("two\n");
  EXPECT_EQ(pipe.read(), "");
  out.thaw();
  EXPECT_EQ(pipe.read(), "one\ntwo\n");
  out.write("three\n");
  EXPECT_EQ(pipe.read(), "three\n");
}

TEST(MessageOutput, NeverWaitsForAFullPipeWhileFrozen) {
  const test::HangGuard guard;
  const test::Pipe pipe;
  pipe.fill();
  auto out =
      std::move(*MessageOutput::open(pipe.writer(), 16 * 1024));  // what is delivered must fit into a pipe
  out.freeze();
  for (int i = 0; i < 10'000; ++i) out.print("message {}\n", i);
  EXPECT_THAT(pipe.read(), testing::Not(HasSubstr("message")));  // and now there is room
  out.thaw();
  const auto text = pipe.read();
  EXPECT_THAT(text, StartsWith("message 0\nmessage 1\n"));
  EXPECT_THAT(text, HasSubstr(" bytes left out ...]\nmessage "));
  EXPECT_THAT(text, EndsWith("message 9998\nmessage 9999\n"));
}

TEST(MessageOutput, NeverWaitsForAFullSocketOrPseudoTerminalWhileFrozen) {
  const test::HangGuard guard;
  int sockets[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  const UniqueFd one(sockets[0]);
  const UniqueFd two(sockets[1]);
  const test::PseudoTerminal terminal;
  for (const int fd : {one.get(), terminal.tool()}) {
    const std::string much(1'000'000, 'x');
    auto out = std::move(*MessageOutput::open(fd, 64));  // so little is held that delivery fits again
    out.freeze();
    for (int i = 0; i < 100; ++i) out.write(much);
  }
  SUCCEED();
}

TEST(MessageOutput, LeavesAFileAloneWhileFrozen) {
  const UniqueFd file(::open("/tmp", O_TMPFILE | O_RDWR, 0600));
  auto out = open(file.get());
  out.freeze();
  out.write("text\n");
  struct stat status{};
  ::fstat(file.get(), &status);
  EXPECT_EQ(status.st_size, 0);
  out.thaw();
  ::fstat(file.get(), &status);
  EXPECT_EQ(status.st_size, 5);
}

TEST(MessageOutput, DeliversWhenDestroyed) {
  const test::Pipe pipe;
  {
    auto first = open(pipe.writer());
    first.freeze();
    first.write("kept\n");
    const auto second = std::move(first);
  }
  EXPECT_EQ(pipe.read(), "kept\n");
}

TEST(MessageOutput, WritesAConsoleWhileFrozen) {
  const test::PseudoTerminal terminal;
  auto out = open_console(terminal);
  out.freeze();
  out.write("now\n");
  EXPECT_EQ(terminal.read(), "now\n");
}

TEST(MessageOutput, NeverWaitsForAConsoleThatIsStopped) {
  const test::HangGuard guard;
  const test::PseudoTerminal terminal;
  auto out = open_console(terminal);
  out.freeze();
  ASSERT_EQ(::tcflow(terminal.tool(), TCOOFF), 0);  // as after Ctrl-S
  out.write("one\n");
  out.write("two\n");
  EXPECT_EQ(terminal.read(), "");
  ASSERT_EQ(::tcflow(terminal.tool(), TCOON), 0);
  out.write("three\n");
  EXPECT_EQ(terminal.read(), "one\ntwo\nthree\n");
}

TEST(MessageOutput, KeepsTheOrderOnASlowConsole) {
  const test::HangGuard guard;
  const test::PseudoTerminal terminal;
  auto out = open_console(terminal);
  out.freeze();
  std::string all;
  for (int i = 0; i < 3'000; ++i) {  // more than the terminal takes, less than is held
    const auto line = fmt::format("line {}\n", i);
    all += line;
    out.write(line);
  }
  std::string got = terminal.read();
  for (int i = 0; i < 100 && got.size() < all.size(); ++i) {
    all += "x\n";
    out.write("x\n");
    got += terminal.read();
  }
  EXPECT_EQ(got, all);
}

TEST(MessageOutput, AConsoleThatCannotBeOpenedAgainIsHeldBack) {
  const test::Pipe pipe;
  auto out = std::move(*MessageOutput::open_as(OutputKind::kConsole, pipe.writer()));
  out.freeze();
  out.write("late\n");
  EXPECT_EQ(pipe.read(), "");
  out.thaw();
  EXPECT_EQ(pipe.read(), "late\n");
}

TEST(MessageOutput, DrawsInPlaceAndWritesOnALineOfItsOwn) {
  const test::PseudoTerminal terminal;
  auto out = open_console(terminal);
  for (int round = 0; round < 2; ++round) {
    out.draw("\r10 %");
    out.draw("\r20 %");
    out.write("message\n");
    out.write("another\n");
    out.draw("\r30 %");
    out.settle("\r100 %");
    EXPECT_EQ(terminal.read(), "\r10 %\r20 %\nmessage\nanother\n\r30 %\r100 %\n");
    out.freeze();  // the same again, frozen
  }
}

TEST(MessageOutput, KeepsOfDrawnLinesOnlyTheLast) {
  const test::PseudoTerminal terminal;
  auto out = open(terminal.tool());
  out.freeze();
  out.draw("\r10 %");
  out.settle("\r100 %");
  EXPECT_EQ(terminal.read(), "");
  out.thaw();
  EXPECT_EQ(terminal.read(), "100 %\n");
}

TEST(MessageOutput, DrawsNothingInAPipe) {
  const test::Pipe pipe;
  auto out = open(pipe.writer());
  out.draw("\r10 %");
  EXPECT_EQ(pipe.read(), "");
}

TEST(MessageOutput, CutsALongMessageAndSaysSo) {
  const test::Pipe pipe;
  auto out = open(pipe.writer());
  out.print("{}\n", std::string(MessageOutput::kMaxMessageBytes - 1, 'x'));
  EXPECT_EQ(pipe.read(), std::string(MessageOutput::kMaxMessageBytes - 1, 'x') + "\n");
  out.print("{}\n", std::string(MessageOutput::kMaxMessageBytes, 'x'));
  EXPECT_EQ(pipe.read(), std::string(MessageOutput::kMaxMessageBytes - 4, 'x') + "...\n");
}

TEST(MessageOutput, GivesUpWhereNobodyReads) {
  const test::HangGuard guard;
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  test::Pipe pipe;
  pipe.close_reader();
  auto out = open(pipe.writer());
  out.write("lost\n");
  out.freeze();
  out.write("lost\n");
  out.thaw();
  ::signal(SIGPIPE, before);
}

TEST(MessageOutput, TakesAClosedDescriptor) {
  auto out = open(-1);
  out.write("lost\n");
  out.freeze();
  out.write("lost\n");
  out.thaw();
}

TEST(MessageOutput, AllocatesNothingWhileFrozen) {
  constexpr std::size_t kHeldBytes = 512;  // what is delivered in the end must fit into the channel
  const test::Pipe pipe;
  const test::PseudoTerminal terminal;
  auto held = std::move(*MessageOutput::open(pipe.writer(), kHeldBytes));
  auto console = std::move(*MessageOutput::open_as(OutputKind::kConsole, terminal.tool(), kHeldBytes));
  for (auto* out : {&held, &console}) {
    out->freeze();
    const test::AllocationCounter allocations;
    for (int i = 0; i < 20'000; ++i) {
      out->print("page {} of {:.1f} {}\n", i, 0.5 * i, "text");
      out->draw("\r10 %");
    }
    out->settle("\r100 %");
    EXPECT_EQ(allocations.count(), 0U);
  }
  EXPECT_THAT(terminal.read(), StartsWith("page 0 of 0.0 text\n"));  // makes room for the rest
}

}  // namespace
}  // namespace dormouse
