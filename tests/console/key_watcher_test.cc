#include "console/key_watcher.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstring>

#include "console/channels.h"
#include "support/allocation_counter.h"

namespace dormouse {
namespace {

using Scope = KeyWatcher::Scope;

bool same(const termios& a, const termios& b) {
  return a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_cflag == b.c_cflag &&
         a.c_lflag == b.c_lflag && std::memcmp(a.c_cc, b.c_cc, sizeof a.c_cc) == 0;
}

TEST(KeyWatcher, StopsOnBackspace) {
  for (const auto* key : {"\x7f", "\x08"}) {
    const test::PseudoTerminal terminal;
    auto keys = KeyWatcher::open({terminal.tool()}, Scope::kAnyTerminal);
    ASSERT_TRUE(keys.active());
    EXPECT_FALSE(keys.stop_requested());
    terminal.type(key);
    EXPECT_TRUE(keys.stop_requested());
    EXPECT_TRUE(keys.stop_requested());
  }
}

TEST(KeyWatcher, TogglesRebootOnR) {
  const test::PseudoTerminal terminal;
  auto keys = KeyWatcher::open({terminal.tool()}, Scope::kAnyTerminal);
  EXPECT_FALSE(keys.reboot_chosen());
  terminal.type("r");
  EXPECT_FALSE(keys.stop_requested());
  EXPECT_TRUE(keys.reboot_chosen());
  terminal.type("rrr");
  EXPECT_FALSE(keys.stop_requested());
  EXPECT_FALSE(keys.reboot_chosen());
}

TEST(KeyWatcher, IgnoresOtherKeys) {
  const test::PseudoTerminal terminal;
  auto keys = KeyWatcher::open({terminal.tool()}, Scope::kAnyTerminal);
  terminal.type("qR \n\x1b[3~\x1bOR\x13");  // Ctrl-S too
  EXPECT_FALSE(keys.stop_requested());
  EXPECT_FALSE(keys.reboot_chosen());
}

TEST(KeyWatcher, DisregardsKeysPressedBefore) {
  const test::PseudoTerminal terminal;
  terminal.type("\x08\n");
  auto keys = KeyWatcher::open({terminal.tool()}, Scope::kAnyTerminal);
  EXPECT_FALSE(keys.stop_requested());
}

TEST(KeyWatcher, EchoesNothing) {
  const test::PseudoTerminal terminal;
  auto keys = KeyWatcher::open({terminal.tool()}, Scope::kAnyTerminal);
  terminal.type("abc\n");
  (void)keys.stop_requested();
  EXPECT_EQ(terminal.read(), "");
}

TEST(KeyWatcher, PutsTheTerminalBack) {
  const test::PseudoTerminal terminal;
  const auto before = terminal.settings();
  {
    auto first = KeyWatcher::open({terminal.tool()}, Scope::kAnyTerminal);
    EXPECT_FALSE(same(terminal.settings(), before));
    KeyWatcher second = std::move(first);
    first.restore();  // nothing left to do
    EXPECT_FALSE(same(terminal.settings(), before));
    KeyWatcher third;
    third = std::move(second);
    EXPECT_TRUE(third.active());
  }
  EXPECT_TRUE(same(terminal.settings(), before));
}

TEST(KeyWatcher, PutsTheTerminalBackWhenSomethingThrows) {
  const test::PseudoTerminal terminal;
  const auto before = terminal.settings();
  try {
    const auto keys = KeyWatcher::open({terminal.tool()}, Scope::kAnyTerminal);
    throw 1;
  } catch (int) {
  }
  EXPECT_TRUE(same(terminal.settings(), before));
}

TEST(KeyWatcher, PutsTheTerminalBackWhileItsOutputIsStopped) {
  const test::HangGuard guard;
  const test::PseudoTerminal terminal;
  const auto before = terminal.settings();
  ASSERT_EQ(::tcflow(terminal.tool(), TCOOFF), 0);
  KeyWatcher::open({terminal.tool()}, Scope::kAnyTerminal).restore();
  EXPECT_TRUE(same(terminal.settings(), before));
}

TEST(KeyWatcher, KeepsItsAnswersAfterTheTerminalIsBack) {
  const test::PseudoTerminal terminal;
  auto keys = KeyWatcher::open({terminal.tool()}, Scope::kAnyTerminal);
  terminal.type("r\x7f");
  EXPECT_TRUE(keys.stop_requested());
  keys.restore();
  EXPECT_FALSE(keys.active());
  EXPECT_TRUE(keys.stop_requested());
  EXPECT_TRUE(keys.reboot_chosen());
}

TEST(KeyWatcher, SharesNoFlagsWithTheDescriptorItWasGiven) {
  const test::PseudoTerminal terminal;
  const auto keys = KeyWatcher::open({terminal.tool()}, Scope::kAnyTerminal);
  EXPECT_EQ(::fcntl(terminal.tool(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(KeyWatcher, GivesKeysOneByOneForAQuestion) {
  const test::HangGuard guard;
  test::PseudoTerminal terminal;
  auto keys = KeyWatcher::open({terminal.tool()}, Scope::kAnyTerminal);
  EXPECT_EQ(keys.next_key(), '\0');
  terminal.type("old");
  keys.drop_keys();
  EXPECT_EQ(keys.next_key(), '\0');
  terminal.type("d\n");
  EXPECT_EQ(keys.next_key(), 'd');
  EXPECT_EQ(keys.next_key(), '\n');
  EXPECT_EQ(keys.next_key(), '\0');
  terminal.hang_up();
  EXPECT_EQ(keys.next_key(), '\0');
  EXPECT_EQ(KeyWatcher().next_key(), '\0');
  KeyWatcher().drop_keys();
}

TEST(KeyWatcher, DoesNothingWithoutATerminal) {
  const test::Pipe pipe;
  auto keys = KeyWatcher::open({pipe.writer(), -1}, Scope::kAnyTerminal);
  EXPECT_FALSE(keys.active());
  EXPECT_FALSE(keys.stop_requested());
  EXPECT_FALSE(KeyWatcher().stop_requested());
}

TEST(KeyWatcher, LeavesPseudoTerminalsAloneWhereAllWillFreeze) {
  const test::PseudoTerminal terminal;
  const auto before = terminal.settings();
  EXPECT_FALSE(KeyWatcher::open({terminal.tool()}, Scope::kConsoles).active());
  EXPECT_TRUE(same(terminal.settings(), before));
}

TEST(KeyWatcher, TakesTheFirstThatWillDo) {
  const test::Pipe pipe;
  const test::PseudoTerminal terminal;
  auto keys = KeyWatcher::open({pipe.writer(), terminal.tool()}, Scope::kAnyTerminal);
  terminal.type("\x7f");
  EXPECT_TRUE(keys.stop_requested());
}

TEST(KeyWatcher, TakesAHangUpForNoKey) {
  const test::HangGuard guard;
  test::PseudoTerminal terminal;
  auto keys = KeyWatcher::open({terminal.tool()}, Scope::kAnyTerminal);
  terminal.hang_up();
  EXPECT_FALSE(keys.stop_requested());
}

TEST(KeyWatcher, AllocatesNothing) {
  const test::PseudoTerminal terminal;
  auto keys = KeyWatcher::open({terminal.tool()}, Scope::kAnyTerminal);
  terminal.type("rrr");
  const test::AllocationCounter allocations;
  EXPECT_FALSE(keys.stop_requested());
  keys.restore();
  EXPECT_EQ(allocations.count(), 0U);
}

}  // namespace
}  // namespace dormouse
