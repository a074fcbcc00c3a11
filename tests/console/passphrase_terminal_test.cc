/// A passphrase typed on a terminal, as the terminal shows it and as it arrives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dormouse/sealing.h"

#include "console/channels.h"
#include "console/passphrase_source.h"
#include "console/secret_text.h"

namespace dormouse {
namespace {

using test::text_of;
using ::testing::HasSubstr;
using ::testing::Not;

/// Somebody at a terminal who types, piece by piece, a moment after each other.
struct Typist {
  test::HangGuard guard;
  test::PseudoTerminal terminal;
  test::FakeClock clock;
  std::function<bool()> stop;
  std::optional<unsigned> seconds;

  explicit Typist(unsigned short columns = 80) : terminal(columns) {}

  [[nodiscard]] TerminalSource source() const {
    return {"resume", SingleKeys::open({terminal.tool()}, SingleKeys::Scope::kAnyTerminal,
                                       SingleKeys::Interrupt::kKey, O_RDWR)};
  }
  Result<Secret> types(std::vector<std::string> pieces) {
    TerminalSource asked = source();
    return types(asked, std::move(pieces));
  }
  Result<Secret> types(TerminalSource& asked, std::vector<std::string> pieces) {
    clock.at_pause = [this, pieces = std::move(pieces), next = std::size_t{0}]() mutable {
      if (next < pieces.size()) terminal.type(pieces[next++]);
    };
    AnswerWait wait(clock, seconds, stop);
    return asked.read("passphrase of the image", wait);
  }
};

TEST(TypedPassphrase, ArrivesAndIsNotShown) {
  Typist typist;
  const auto secret = typist.types({"correct horse", " battery", " staple\n"});
  ASSERT_TRUE(secret) << secret.error().what();
  EXPECT_EQ(text_of(*secret), "correct horse battery staple");
  const std::string screen = typist.terminal.read();
  EXPECT_EQ(screen, "resume: passphrase of the image: \n");
}

TEST(TypedPassphrase, CanBeCorrected) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"ab\x7f"
       "c\r",
       "ac"},
      {"ab\b\b\b\b"
       "c\n",
       "c"},
      {"\xc3\xa4\xe2\x82\xac\x7fo\n", "\xc3\xa4o"},  // an umlaut, and a euro sign taken back
      {"\xc3\xa4\x7f\x7f"
       "x\n",
       "x"},
      {"all wrong\x15right\n", "right"},
      {"a\x04"
       "b\n",
       std::string("a\x04"
                   "b")},  // Ctrl-D behind something is a byte like others
      {"\n", ""},
  };
  for (const auto& [keys, expected] : cases) {
    Typist typist;
    const auto secret = typist.types({keys});
    ASSERT_TRUE(secret) << secret.error().what();
    EXPECT_EQ(text_of(*secret), expected);
  }
}

TEST(TypedPassphrase, IsStoppedByKeysThatStop) {
  for (const std::string keys : {"\x03", "abc\x03", "\x1c", "\x04"}) {
    Typist typist;
    const auto secret = typist.types({keys});
    ASSERT_FALSE(secret);
    EXPECT_EQ(secret.error().code, Errc::kStopped);
    EXPECT_THAT(secret.error().what(), HasSubstr("stopped by the user"));
  }
}

TEST(TypedPassphrase, MayBeAsLongAsAnyAndNotLonger) {
  const std::string longest(kMaxPassphraseBytes, 'x');
  Typist typist;
  const auto fits = typist.types({longest + "\n"});
  ASSERT_TRUE(fits) << fits.error().what();
  EXPECT_EQ(text_of(*fits), longest);
  const auto corrected = typist.types({longest + "yz\x7f\x7f\n"});
  ASSERT_TRUE(corrected) << corrected.error().what();
  EXPECT_EQ(text_of(*corrected), longest);
  const auto too_long = typist.types({longest + "yz\x7f\n"});
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().code, Errc::kUsage);
  EXPECT_THAT(too_long.error().what(), HasSubstr("longer than 512 bytes"));
}

TEST(TypedPassphrase, IsWaitedForAsLongAsShown) {
  Typist typist;
  typist.seconds = 60;
  const std::uint64_t began = typist.clock.now_ns();
  const auto secret = typist.types({});
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().code, Errc::kStopped);
  EXPECT_THAT(secret.error().what(), HasSubstr("nobody answered within 60 s"));
  EXPECT_GE(typist.clock.now_ns() - began, 60'000'000'000U);
  EXPECT_LT(typist.clock.now_ns() - began, 61'000'000'000U);
  const std::string screen = typist.terminal.read();
  for (const char* left : {"(60 s): ", "(59 s): ", "(9 s): ", "(1 s): "})
    EXPECT_THAT(screen, HasSubstr(left));
  EXPECT_THAT(screen, Not(HasSubstr("(0 s)")));
}

TEST(TypedPassphrase, StartsTheCountdownAnewWithEachKey) {
  Typist typist;
  typist.seconds = 2;
  std::vector<std::string> slow(300, "a");  // 20 keys a second, for 15 seconds
  slow.emplace_back("\n");
  const auto secret = typist.types(slow);
  ASSERT_TRUE(secret) << secret.error().what();
  EXPECT_EQ(secret->size(), 300U);
}

TEST(TypedPassphrase, DrawsNothingOverItselfWhereItDoesNotFit) {
  Typist typist(20);
  typist.seconds = 5;
  EXPECT_FALSE(typist.types({}));
  const std::string screen = typist.terminal.read();
  EXPECT_THAT(screen, HasSubstr("(5 s): "));
  EXPECT_THAT(screen, Not(HasSubstr("(4 s): ")));
}

TEST(TypedPassphrase, EndsWhenAskedTo) {
  Typist typist;
  int looks = 0;
  typist.stop = [&] { return ++looks > 3; };
  const auto secret = typist.types({});
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().code, Errc::kStopped);
}

TEST(TypedPassphrase, EndsWhereTheTerminalHangsUp) {
  Typist typist;
  typist.clock.at_pause = [&] { typist.terminal.hang_up(); };
  TerminalSource asked = typist.source();
  AnswerWait wait(typist.clock, {}, typist.stop);
  const auto secret = asked.read("passphrase", wait);
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().code, Errc::kIo);
}

TEST(TypedPassphrase, KeepsTheTerminalSilentBetweenTwoTriesAndPutsItBack) {
  Typist typist;
  const auto before = typist.terminal.settings();
  {
    TerminalSource asked = typist.source();
    ASSERT_TRUE(typist.types(asked, {"one\n"}));
    typist.terminal.type("tw");  // while the first is tried
    const auto second = typist.types(asked, {"o\n"});
    ASSERT_TRUE(second);
    EXPECT_EQ(text_of(*second), "two");
    EXPECT_THAT(typist.terminal.read(), Not(HasSubstr("tw")));
    EXPECT_NE(typist.terminal.settings().c_lflag, before.c_lflag);
  }
  EXPECT_EQ(typist.terminal.settings().c_lflag, before.c_lflag);
  EXPECT_EQ(typist.terminal.settings().c_iflag, before.c_iflag);
}

TEST(TypedPassphrase, IsNotWhatWasTypedBeforeTheQuestion) {
  Typist typist;
  typist.terminal.type("too early\n");
  const auto secret = typist.types({"in time\n"});
  ASSERT_TRUE(secret) << secret.error().what();
  EXPECT_EQ(text_of(*secret), "in time");
}

}  // namespace
}  // namespace dormouse
