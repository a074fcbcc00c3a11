/// Passphrases that come as lines, for scripts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "dormouse/sealing.h"

#include "console/channels.h"
#include "console/passphrase_source.h"
#include "console/secret_text.h"

namespace dormouse {
namespace {

using test::text_of;
using ::testing::HasSubstr;

class PassphraseLines : public ::testing::Test {
 protected:
  void put(std::string_view text) const {
    ASSERT_EQ(::write(pipe_.writer(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  Result<Secret> read() {
    AnswerWait wait(clock_, seconds_, stop_);
    return source_.read("", wait);
  }
  test::HangGuard guard_;
  test::Pipe pipe_;
  test::FakeClock clock_;
  std::function<bool()> stop_;
  std::optional<unsigned> seconds_;
  LineSource source_{pipe_.reader()};
};

TEST_F(PassphraseLines, ComeOneATimeAndLeaveTheRest) {
  put("first\nsecond with blanks \n\nrest");
  EXPECT_EQ(text_of(read().value()), "first");
  EXPECT_EQ(text_of(read().value()), "second with blanks ");
  EXPECT_EQ(text_of(read().value()), "");
  EXPECT_EQ(pipe_.read(), "rest");
}

TEST_F(PassphraseLines, HaveAnyBytesButAnEndOfLine) {
  const std::string bytes("\0\xff\r\t\x03x", 6);
  put(bytes + "\n");
  EXPECT_EQ(text_of(read().value()), bytes);
}

TEST_F(PassphraseLines, NeedNoEndOfLineAtTheEnd) {
  put("last");
  pipe_.close_writer();
  EXPECT_EQ(text_of(read().value()), "last");
  const auto none = read();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::kUsage);
  EXPECT_THAT(none.error().what(), HasSubstr("no further line"));
}

TEST_F(PassphraseLines, HaveALength) {
  const std::string longest(kMaxPassphraseBytes, 'x');
  put(longest + "\n");
  EXPECT_EQ(text_of(read().value()), longest);
  put(longest + "y\n");
  const auto too_long = read();
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().code, Errc::kUsage);
  EXPECT_THAT(too_long.error().what(), HasSubstr("longer than 512 bytes"));
}

TEST_F(PassphraseLines, AreWaitedFor) {
  int pauses = 0;
  clock_.at_pause = [&] {
    ++pauses;
    if (pauses == 2) put("la");
    if (pauses == 4) put("te\n");
  };
  EXPECT_EQ(text_of(read().value()), "late");
}

TEST_F(PassphraseLines, AreNotWaitedForWithoutAnEnd) {
  seconds_ = 10;
  const auto late = read();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::kStopped);
  EXPECT_THAT(late.error().what(), HasSubstr("within 10 s"));
  stop_ = [] { return true; };
  EXPECT_EQ(read().error().code, Errc::kStopped);
}

TEST(ChooseWay, PrefersWhatWasArrangedForAndTakesWhatThereIs) {
  EXPECT_EQ(choose_way({.stdin_is_stream = true, .plymouth = true, .terminal = true, .systemd = true}),
            AskingWay::kStandardInput);
  EXPECT_EQ(choose_way({.plymouth = true, .terminal = true, .systemd = true}), AskingWay::kPlymouth);
  EXPECT_EQ(choose_way({.terminal = true, .systemd = true}), AskingWay::kTerminal);
  EXPECT_EQ(choose_way({.systemd = true}), AskingWay::kSystemd);
  EXPECT_EQ(choose_way({}), AskingWay::kNone);
}

}  // namespace
}  // namespace dormouse
