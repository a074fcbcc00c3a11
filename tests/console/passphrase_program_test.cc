/// Plymouth and systemd-ask-password, as far as they can be seen from here: programs that print.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "dormouse/sealing.h"

#include "console/channels.h"
#include "console/passphrase_source.h"
#include "console/secret_text.h"
#include "support/temporary_directory.h"

namespace dormouse {
namespace {

using test::text_of;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = ProgramSource::Kind;

/// A PATH with one program of the test's own in front.
class PassphraseProgram : public ::testing::Test {
 protected:
  PassphraseProgram() : path_before_(::getenv("PATH")) {}
  ~PassphraseProgram() override { ::setenv("PATH", path_before_.c_str(), 1); }

  /// `body`: of a shell script. Its arguments go to the file "asked".
  void install(const std::string& name, const std::string& body) {
    const std::string script =
        directory_.write(name, "#!/bin/sh\nprintf '%s\\n' \"$@\" >" + directory_.file("asked") + "\n" + body);
    ASSERT_EQ(::chmod(script.c_str(), 0755), 0);
    ::setenv("PATH", (directory_.path().string() + ":" + path_before_).c_str(), 1);
  }
  void install_nothing() { ::setenv("PATH", directory_.path().c_str(), 1); }
  Result<Secret> ask(Kind kind, Clock& clock) {
    AnswerWait wait(clock, seconds_, stop_);
    return ProgramSource(kind).read("passphrase of it", wait);
  }
  Result<Secret> ask(Kind kind) {
    MonotonicClock clock;
    return ask(kind, clock);
  }
  [[nodiscard]] std::string asked() const { return test::read_whole(directory_.file("asked")); }

  test::HangGuard guard_;
  test::TemporaryDirectory directory_;
  std::string path_before_;
  std::function<bool()> stop_;
  std::optional<unsigned> seconds_;
};

TEST_F(PassphraseProgram, GivesWhatItPrints) {
  install("plymouth", "printf 'no end of line'\n");
  EXPECT_EQ(text_of(ask(Kind::kPlymouth).value()), "no end of line");
  EXPECT_EQ(asked(), "ask-for-password\n--prompt=passphrase of it\n");
  install("systemd-ask-password", "echo 'an end of line'\n");
  EXPECT_EQ(text_of(ask(Kind::kSystemd).value()), "an end of line");
  EXPECT_THAT(asked(), HasSubstr("--no-tty\n"));
  EXPECT_THAT(asked(), HasSubstr("passphrase of it:\n"));
  EXPECT_THAT(asked(), Not(HasSubstr("--timeout")));
}

TEST_F(PassphraseProgram, IsToldHowLongThereIs) {
  seconds_ = 60;
  install("systemd-ask-password", "echo x\n");
  EXPECT_TRUE(ask(Kind::kSystemd));
  EXPECT_THAT(asked(), HasSubstr("--timeout=60\n"));
  install("plymouth", "echo x\n");
  EXPECT_TRUE(ask(Kind::kPlymouth));
  EXPECT_THAT(asked(), HasSubstr("--prompt=passphrase of it (60 s)\n"));
}

TEST_F(PassphraseProgram, MayBeAnsweredByNobody) {
  install("systemd-ask-password", "echo half an ans; exit 1\n");
  const auto ended = ask(Kind::kSystemd);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kStopped);
  EXPECT_THAT(ended.error().what(), HasSubstr("systemd-ask-password"));
}

TEST_F(PassphraseProgram, MayBeMissing) {
  install_nothing();
  EXPECT_FALSE(ProgramSource::plymouth_answers());
  const auto ended = ask(Kind::kPlymouth);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kIo);
  EXPECT_EQ(ended.error().errnum, ENOENT);
}

TEST_F(PassphraseProgram, GivesNothingTooLong) {
  install("plymouth", "head -c 513 /dev/zero; echo\n");
  const auto ended = ask(Kind::kPlymouth);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kUsage);
  install("plymouth", "head -c 100000 /dev/zero\n");
  EXPECT_EQ(ask(Kind::kPlymouth).error().code, Errc::kUsage);
  install("plymouth", "head -c 512 /dev/zero; echo\n");
  EXPECT_EQ(ask(Kind::kPlymouth).value().size(), kMaxPassphraseBytes);
}

TEST_F(PassphraseProgram, IsEndedWhenTheTimeIsUp) {
  const std::string began = directory_.file("began");
  const std::string told = directory_.file("told");
  install("plymouth",
          "trap 'echo y >" + told + "; exit 1' TERM\necho y >" + began + "\nwhile :; do sleep 0.01; done\n");
  seconds_ = 30;
  test::FakeClock clock;
  clock.at_pause = [&] {
    while (!std::filesystem::exists(began))
      ::usleep(1000);  // else it would be ended before it has set its trap
  };
  const auto ended = ask(Kind::kPlymouth, clock);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kStopped);
  EXPECT_THAT(ended.error().what(), HasSubstr("within 30 s"));
  EXPECT_TRUE(std::filesystem::exists(told)) << "it was asked to end, and waited for";
}

TEST_F(PassphraseProgram, TellsWhetherPlymouthRuns) {
  install("plymouth", "test \"$1\" = --ping\n");
  EXPECT_TRUE(ProgramSource::plymouth_answers());
  EXPECT_EQ(asked(), "--ping\n");
  install("plymouth", "exit 1\n");
  EXPECT_FALSE(ProgramSource::plymouth_answers());
}

TEST_F(PassphraseProgram, RunsWithSignalsThatWork) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &blocked, &before), 0);
  install("plymouth", "(sleep 0.2; kill -TERM $$) &\nwhile :; do sleep 0.01; done\n");
  const auto ended = ask(Kind::kPlymouth);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_FALSE(ended) << "it ended by the signal";
  EXPECT_EQ(ended.error().code, Errc::kStopped);
}

}  // namespace
}  // namespace dormouse
