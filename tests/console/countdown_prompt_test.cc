#include "console/countdown_prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <string>

#include "console/channels.h"

namespace dormouse {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Answer = CountdownPrompt::Answer;
using Scope = KeyWatcher::Scope;

constexpr CountdownQuestion kQuestion{.action = "restarting to try again",
                                      .now = "restart now",
                                      .key = 'd',
                                      .other = "discard the image",
                                      .seconds = 20};

CountdownQuestion for_seconds(unsigned seconds) {
  CountdownQuestion question = kQuestion;
  question.seconds = seconds;
  return question;
}

/// Asks on a terminal; `at_second` of the countdown somebody does `act`.
struct Person {
  test::HangGuard guard;
  test::PseudoTerminal terminal;
  test::FakeClock clock;
  MessageOutput out = MessageOutput::open(terminal.tool()).value();
  KeyWatcher keys = KeyWatcher::open({terminal.tool()}, Scope::kAnyTerminal);
  std::uint64_t began = clock.now_ns();

  Answer ask(const CountdownQuestion& question, SignalWatcher* signals = nullptr) {
    return CountdownPrompt("resume", out, clock, &keys, signals).ask(question);
  }
  template <class Act>
  void at_second(unsigned second, Act act) {
    clock.at_pause = [this, second, act, done = false]() mutable {
      if (done || seconds_passed() < second) return;
      done = true;
      act();
    };
  }
  void types_at_second(unsigned second, std::string text) {
    at_second(second, [this, text = std::move(text)] { terminal.type(text); });
  }
  [[nodiscard]] std::uint64_t seconds_passed() { return (clock.now_ns() - began) / 1'000'000'000; }
};

TEST(CountdownPrompt, TakesTheDefaultWhenTheTimeIsUpAndNotLaterThanShown) {
  for (const unsigned seconds : {1U, 2U, 20U, 600U}) {
    Person nobody;
    nobody.clock.at_pause = [&] { (void)nobody.terminal.read(); };  // it holds only so much
    EXPECT_EQ(nobody.ask(for_seconds(seconds)), Answer::kDefault);
    EXPECT_EQ(nobody.clock.now_ns() - nobody.began, seconds * 1'000'000'000ULL);
  }
}

TEST(CountdownPrompt, OfNoSecondsAsksNobody) {
  Person person;
  person.terminal.type("d");
  EXPECT_EQ(person.ask(for_seconds(0)), Answer::kDefault);
  EXPECT_EQ(person.clock.now_ns(), person.began);
  EXPECT_THAT(person.terminal.read(), IsEmpty());
}

TEST(CountdownPrompt, EndsAtOnceWithEnterOrTheOtherKeyAndEnter) {
  const std::vector<std::pair<std::string, Answer>> cases = {{"\n", Answer::kDefault},
                                                             {"\r", Answer::kDefault},
                                                             {"d\n", Answer::kOther},
                                                             {"D\r", Answer::kOther},
                                                             {"mellow word\nd\n", Answer::kOther},
                                                             {"mellow word\n\n", Answer::kDefault}};
  for (const auto& [typed, expected] : cases) {
    Person person;
    person.types_at_second(3, typed);
    EXPECT_EQ(person.ask(kQuestion), expected) << typed;
    EXPECT_LE(person.seconds_passed(), 4U);
  }
}

// Such as a passphrase that somebody types on, without looking.
TEST(CountdownPrompt, NoOtherLineIsAnAnswer) {
  for (const char* typed : {"rkq \x7f\x1b[A", "d", "dd\n", "xd\n", "dormouse\n", "seven sleeperd\n"}) {
    Person person;
    person.types_at_second(3, typed);
    EXPECT_EQ(person.ask(kQuestion), Answer::kDefault) << typed;
    EXPECT_EQ(person.seconds_passed(), 20U) << typed;
  }
}

TEST(CountdownPrompt, AKeyPressedBeforeItAskedIsNoAnswer) {
  Person person;
  person.terminal.type("d\x7f\x7f");  // Backspace, which stopped the loading, may have been held
  EXPECT_EQ(person.ask(kQuestion), Answer::kDefault);
  EXPECT_EQ(person.seconds_passed(), 20U);
}

TEST(CountdownPrompt, AHeldKeyDoesNotStopTheClock) {
  Person person;
  person.clock.at_pause = [&] { person.terminal.type(std::string(100, 'x')); };
  EXPECT_EQ(person.ask(kQuestion), Answer::kDefault);
  EXPECT_EQ(person.seconds_passed(), 20U);
}

TEST(CountdownPrompt, ASignalTakesTheDefaultButNotOneFromBefore) {
  auto signals = SignalWatcher::install();
  ASSERT_TRUE(signals);
  for (const int signal : {SIGTERM, SIGINT}) {
    ::raise(signal);
    EXPECT_TRUE(signals->stop_requested());  // it stopped the loading
    ::raise(signal);                         // and was sent twice
    Person person;
    person.at_second(5, [&] { ::raise(signal); });
    EXPECT_EQ(person.ask(kQuestion, &*signals), Answer::kDefault);
    EXPECT_EQ(person.seconds_passed(), 5U);
  }
}

TEST(CountdownPrompt, WorksOnATerminalThatHungUp) {
  Person person;
  person.at_second(3, [&] { person.terminal.hang_up(); });
  EXPECT_EQ(person.ask(kQuestion), Answer::kDefault);
  EXPECT_EQ(person.seconds_passed(), 20U);
}

TEST(CountdownPrompt, WorksWithoutAnything) {
  test::FakeClock clock;
  auto out = MessageOutput::open(-1);
  ASSERT_TRUE(out);
  KeyWatcher none;
  EXPECT_EQ(CountdownPrompt("resume", *out, clock, &none, nullptr).ask(kQuestion), Answer::kDefault);
  EXPECT_EQ(CountdownPrompt("resume", *out, clock, nullptr, nullptr).ask(kQuestion), Answer::kDefault);
}

TEST(CountdownPrompt, RedrawsOneLineOnATerminal) {
  Person person;
  (void)person.ask(for_seconds(11));
  const std::string screen = person.terminal.read();
  EXPECT_THAT(screen, HasSubstr("resume: press Enter to restart now, d and Enter to discard the image\n"));
  EXPECT_THAT(screen, HasSubstr("\rresume: restarting to try again in 10 s \rresume: restarting to try again "
                                "in 9 s \r"));
  EXPECT_THAT(screen, Not(HasSubstr("in 0 s")));
  person.out.write("next\n");
  EXPECT_EQ(person.terminal.read(), "\nnext\n") << "on a line of its own";
}

TEST(CountdownPrompt, PrintsALineEveryFewSecondsElsewhereAndNamesNoKeys) {
  const test::Pipe pipe;
  test::FakeClock clock;
  auto out = MessageOutput::open(pipe.writer());
  ASSERT_TRUE(out);
  KeyWatcher none;
  (void)CountdownPrompt("resume", *out, clock, &none, nullptr).ask(for_seconds(23));
  EXPECT_EQ(pipe.read(),
            "resume: restarting to try again in 23 s\n"
            "resume: restarting to try again in 20 s\n"
            "resume: restarting to try again in 15 s\n"
            "resume: restarting to try again in 10 s\n"
            "resume: restarting to try again in 5 s\n");
}

}  // namespace
}  // namespace dormouse
