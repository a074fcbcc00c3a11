#include "console/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "console/channels.h"

namespace dormouse {
namespace {

constexpr std::string_view kConsoles =
    "tty0                 -WU (EC p  )    4:1\n"
    "ttyPS0               -W- (E  p  )  240:0\n";

OutputKind kind_of(unsigned major, unsigned minor) {
  return classify_terminal(makedev(major, minor), kConsoles);
}

TEST(ClassifyTerminal, BelievesWhatTheKernelDrains) {
  EXPECT_EQ(kind_of(4, 1), OutputKind::kConsole);     // tty1
  EXPECT_EQ(kind_of(4, 63), OutputKind::kConsole);    // tty63
  EXPECT_EQ(kind_of(4, 64), OutputKind::kConsole);    // ttyS0
  EXPECT_EQ(kind_of(204, 64), OutputKind::kConsole);  // ttyAMA0
  EXPECT_EQ(kind_of(207, 16), OutputKind::kConsole);  // ttymxc0
  EXPECT_EQ(kind_of(229, 0), OutputKind::kConsole);   // hvc0
}

TEST(ClassifyTerminal, HoldsBackForPseudoTerminals) {
  EXPECT_EQ(kind_of(136, 0), OutputKind::kPseudoTerminal);
  EXPECT_EQ(kind_of(143, 255), OutputKind::kPseudoTerminal);
  EXPECT_EQ(kind_of(128, 0), OutputKind::kPseudoTerminal);
  EXPECT_EQ(kind_of(3, 0), OutputKind::kPseudoTerminal);
}

TEST(ClassifyTerminal, BelievesAnUnknownDriverIfTheKernelTalksThroughIt) {
  EXPECT_EQ(kind_of(240, 0), OutputKind::kConsole);
  EXPECT_EQ(kind_of(240, 1), OutputKind::kPseudoTerminal);
  EXPECT_EQ(kind_of(40, 0), OutputKind::kPseudoTerminal);  // no tail of "240:0"
  EXPECT_EQ(classify_terminal(makedev(240, 0), ""), OutputKind::kPseudoTerminal);
}

TEST(ClassifyOutput, HoldsBackForEverythingThatIsNoTerminal) {
  const test::Pipe pipe;
  EXPECT_EQ(classify_output(pipe.writer()), OutputKind::kOther);
  int sockets[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  const UniqueFd one(sockets[0]);
  const UniqueFd two(sockets[1]);
  EXPECT_EQ(classify_output(one.get()), OutputKind::kOther);
  const UniqueFd null(::open("/dev/null", O_WRONLY));
  EXPECT_EQ(classify_output(null.get()), OutputKind::kOther);
  const UniqueFd file(::open("/tmp", O_TMPFILE | O_WRONLY, 0600));
  EXPECT_EQ(classify_output(file.get()), OutputKind::kOther);
  EXPECT_EQ(classify_output(-1), OutputKind::kOther);
}

TEST(ClassifyOutput, KnowsBothSidesOfAPseudoTerminal) {
  const test::PseudoTerminal terminal;
  EXPECT_EQ(classify_output(terminal.tool()), OutputKind::kPseudoTerminal);
  EXPECT_EQ(classify_output(terminal.screen()), OutputKind::kPseudoTerminal);
}

/// Runs `body` in a child whose controlling terminal is `tool`; its answer is the exit status.
int in_session_of(const test::PseudoTerminal& terminal, int (*body)()) {
  const auto child = ::fork();
  if (child == 0) {
    ::setsid();
    if (::ioctl(terminal.tool(), TIOCSCTTY, 0) != 0) ::_exit(100);
    ::_exit(body());
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ClassifyOutput, LooksThroughDevTty) {
  const test::PseudoTerminal terminal;
  EXPECT_EQ(
      in_session_of(terminal,
                    [] {
                      const UniqueFd tty(::open("/dev/tty", O_RDWR));  // 5:0, which alone would say nothing
                      return tty.valid() && classify_output(tty.get()) == OutputKind::kPseudoTerminal ? 0 : 1;
                    }),
      0);
}

TEST(ReopenTerminal, GivesADescriptorWithFlagsOfItsOwn) {
  const test::PseudoTerminal terminal;
  const auto own = reopen_terminal(terminal.tool(), O_WRONLY);
  ASSERT_TRUE(own) << own.error().what();
  EXPECT_NE(::fcntl(own->get(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(::fcntl(terminal.tool(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(::write(own->get(), "hello", 5), 5);
  EXPECT_EQ(terminal.read(), "hello");
}

TEST(ReopenTerminal, SaysWhyThereIsNone) {
  const test::Pipe pipe;
  const auto own = reopen_terminal(pipe.writer(), O_WRONLY);
  ASSERT_FALSE(own);
  EXPECT_TRUE(own.error().what().starts_with("reopen the terminal: Inappropriate ioctl for device"))
      << own.error().what();
}

TEST(TerminalColumns, FallsBackTo80) {
  const test::PseudoTerminal wide(132);
  EXPECT_EQ(terminal_columns(wide.tool()), 132U);
  const test::PseudoTerminal unknown(0);
  EXPECT_EQ(terminal_columns(unknown.tool()), 80U);
  EXPECT_EQ(terminal_columns(-1), 80U);
}

}  // namespace
}  // namespace dormouse
