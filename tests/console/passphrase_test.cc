/// The rules of asking, with somebody who answers as told.
#include "console/passphrase.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <deque>
#include <string>
#include <vector>

#include "base/core_dump.h"
#include "console/passphrase_source.h"
#include "console/secret_text.h"

namespace dormouse {
namespace {

using test::text_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What was asked and said, outside of the source that the asker owns.
struct Talk {
  std::deque<std::string> answers{};
  std::vector<std::string> prompts{};
  std::vector<std::string> said{};
  bool person = true;
  bool seen = true;  ///< what is said
};

class ScriptedSource final : public PassphraseSource {
 public:
  explicit ScriptedSource(Talk& talk) : talk_(talk) {}
  Result<Secret> read(std::string_view prompt, AnswerWait& wait) override {
    talk_.prompts.emplace_back(prompt);
    if (auto r = wait.turn(); !r) return std::unexpected(r.error());
    if (talk_.answers.empty()) return fail(Errc::kStopped, kAskPassphrase).because("left");
    const std::string answer = talk_.answers.front();
    talk_.answers.pop_front();
    if (answer == "too long") return fail(Errc::kUsage, kAskPassphrase).because("it is too long");
    return test::secret_of(answer);
  }
  [[nodiscard]] bool asks_a_person() const override { return talk_.person; }
  bool say(std::string_view line) override {
    if (talk_.seen) talk_.said.emplace_back(line);
    return talk_.seen;
  }

 private:
  Talk& talk_;
};

PassphraseAsker asker_of(Talk& talk, const PassphraseRequest& request) {
  return PassphraseAsker::with_source(request, std::make_unique<ScriptedSource>(talk)).value();
}

PassphraseRequest request(bool confirm) {
  return {.tool = "s2disk", .prompt = "passphrase", .confirm = confirm, .stop = [] { return false; }};
}

TEST(PassphraseAsker, AsksOnceWhereNothingNewIsMade) {
  Talk talk{.answers = {"one", "two"}};
  auto asker = asker_of(talk, request(false));
  EXPECT_EQ(text_of(asker.ask().value()), "one");
  EXPECT_THAT(talk.prompts, ElementsAre("passphrase"));
  EXPECT_THAT(talk.said, IsEmpty());
}

TEST(PassphraseAsker, SaysThatTheOneBeforeWasWrong) {
  Talk talk{.answers = {"one", "two"}};
  auto asker = asker_of(talk, request(false));
  EXPECT_EQ(text_of(asker.ask().value()), "one");
  EXPECT_EQ(text_of(asker.ask().value()), "two");
  EXPECT_THAT(talk.said, ElementsAre("that passphrase does not open it"));
}

TEST(PassphraseAsker, SaysItInTheQuestionWhereNothingElseIsSeen) {
  Talk talk{.answers = {"one", "", "two", "three"}, .seen = false};
  auto asker = asker_of(talk, request(false));
  EXPECT_EQ(text_of(asker.ask().value()), "one");
  EXPECT_EQ(text_of(asker.ask().value()), "two") << "who only pressed Enter is asked again";
  EXPECT_THAT(talk.prompts, ElementsAre("passphrase", "that passphrase does not open it: passphrase",
                                        "a passphrase cannot be empty: passphrase"));
}

TEST(PassphraseAsker, AsksForANewOneTwiceWhereAProgramAsks) {
  Talk talk{.answers = {"new", "gnu", "new", "new"}, .seen = false};
  auto asker = asker_of(talk, request(true));
  EXPECT_EQ(text_of(asker.ask().value()), "new");
  EXPECT_THAT(talk.prompts, ElementsAre("passphrase", "the same again",
                                        "the two are not the same: passphrase", "the same again"));
}

TEST(PassphraseAsker, AsksForANewOneTwice) {
  Talk talk{.answers = {"new", "new"}};
  auto asker = asker_of(talk, request(true));
  EXPECT_EQ(text_of(asker.ask().value()), "new");
  EXPECT_THAT(talk.prompts, ElementsAre("passphrase", "the same again"));
}

TEST(PassphraseAsker, AsksForANewOneOnceWhereNobodyTypesIt) {
  Talk talk{.answers = {"new", "other"}, .person = false, .seen = false};
  auto asker = asker_of(talk, request(true));
  EXPECT_EQ(text_of(asker.ask().value()), "new");
  EXPECT_THAT(talk.prompts, ElementsAre("passphrase"));
}

TEST(PassphraseAsker, GivesThreeRoundsToAgree) {
  Talk third{.answers = {"a", "b", "c", "cc", "d", "d"}};
  EXPECT_EQ(text_of(asker_of(third, request(true)).ask().value()), "d");
  EXPECT_EQ(third.said.size(), 2U);
  Talk never{.answers = {"a", "b", "c", "cc", "d", "D", "e", "e"}};
  const auto ended = asker_of(never, request(true)).ask();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kUsage);
  EXPECT_THAT(ended.error().what(), HasSubstr("differed 3 times"));
  EXPECT_EQ(never.prompts.size(), 6U);
}

TEST(PassphraseAsker, TakesNoEmptyOne) {
  Talk typed{.answers = {"", "", "three"}};
  EXPECT_EQ(text_of(asker_of(typed, request(false)).ask().value()), "three");
  EXPECT_EQ(typed.said.size(), 2U);
  Talk leans_on_enter{.answers = std::deque<std::string>(100)};
  EXPECT_EQ(asker_of(leans_on_enter, request(false)).ask().error().code, Errc::kStopped);
  Talk piped{.answers = {"", "second line"}, .person = false, .seen = false};
  const auto ended = asker_of(piped, request(false)).ask();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kUsage);
  EXPECT_THAT(ended.error().what(), HasSubstr("empty"));
}

TEST(PassphraseAsker, AsksAgainWhereWhatWasTypedCannotBeOne) {
  Talk typed{.answers = {"too long", "short"}};
  EXPECT_EQ(text_of(asker_of(typed, request(false)).ask().value()), "short");
  EXPECT_THAT(typed.said, ElementsAre("it is too long"));
  Talk piped{.answers = {"too long", "short"}, .person = false, .seen = false};
  EXPECT_EQ(asker_of(piped, request(false)).ask().error().code, Errc::kUsage);
}

TEST(PassphraseAsker, PassesOnThatTheUserStopped) {
  Talk talk;
  const auto ended = asker_of(talk, request(true)).ask();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kStopped);
}

TEST(PassphraseAsker, IsStoppedByASignalWhereNobodyElseWatches) {
  Talk talk{.answers = {"one"}};
  auto asker = asker_of(talk, {.tool = "s2disk", .prompt = "passphrase"});
  ASSERT_EQ(::raise(SIGTERM), 0);
  const auto ended = asker.ask();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kStopped);
}

/// From this process alone. False where that takes a right that it does not have.
bool hide_systemd() {
  if (::access("/run/systemd/system", F_OK) != 0) return true;
  const int namespaces = ::geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER;
  return ::unshare(namespaces) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", "/run/systemd", "tmpfs", 0, nullptr) == 0;
}

TEST(PassphraseAsker, AsksNobodyWhereThereIsNobody) {
  constexpr int kNotHidden = 2;
  // In a process of its own: what it forbids is forbidden for good.
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (!hide_systemd()) ::_exit(kNotHidden);
    const int nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(nothing, STDERR_FILENO);
    const auto asker =
        PassphraseAsker::open({.tool = "resume", .prompt = "passphrase", .stop = [] { return false; }});
    const bool as_expected = !asker && asker.error().code == Errc::kUsage &&
                             asker.error().what().find("nobody can be asked") != std::string::npos;
    ::_exit(as_expected && ::prctl(PR_GET_DUMPABLE) == 0 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNotHidden)
    GTEST_SKIP() << "systemd runs here, and to hide it takes root or a user namespace";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ForbidCoreDumps, LeavesNoWayToOne) {
  const auto look = [] {
    forbid_core_dumps();
    rlimit limit{.rlim_cur = 1, .rlim_max = 1};
    ::getrlimit(RLIMIT_CORE, &limit);
    ::_exit(::prctl(PR_GET_DUMPABLE) == 0 && limit.rlim_cur == 0 && limit.rlim_max == 0 ? 0 : 1);
  };
  ASSERT_EQ(::prctl(PR_GET_DUMPABLE), 1) << "else this test shows nothing";
  EXPECT_EXIT(look(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace dormouse
