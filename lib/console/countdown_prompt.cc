#include "console/countdown_prompt.h"

#include <algorithm>

namespace dormouse {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kLookEvery = kSecond / 10;
constexpr int kKeysAtOnce = 64;  // a key held down must not hold the clock

/// Seconds between two lines where there is no terminal to draw on.
std::uint64_t line_interval(std::uint64_t seconds_left) {
  if (seconds_left > 60) return 60;
  return seconds_left > 20 ? 10 : 5;
}

}  // namespace

CountdownPrompt::Answer CountdownPrompt::ask(const CountdownQuestion& question) {
  Answer answer = Answer::kDefault;
  typed_ = Typed::kNothing;
  if (question.seconds == 0) return answer;
  if (keys_ != nullptr && keys_->active()) {
    out_.print("{}: press Enter to {}, {} and Enter to {}\n", tool_, question.now, question.key,
               question.other);
    keys_->drop_keys();
  }
  if (signals_ != nullptr) (void)signals_->signalled_again();
  const std::uint64_t end = clock_.now_ns() + question.seconds * kSecond;
  std::uint64_t shown = 0;
  for (std::uint64_t now = clock_.now_ns(); now < end; now = clock_.now_ns()) {
    const std::uint64_t left = (end - now + kSecond - 1) / kSecond;
    if (left != shown) show(question, left);
    shown = left;
    if (answered(question, answer)) break;
    clock_.pause_ns(std::min(kLookEvery, end - now));
  }
  return answer;
}

void CountdownPrompt::show(const CountdownQuestion& question, std::uint64_t seconds_left) {
  if (out_.is_terminal()) {
    InlineText<160> line;
    line.format("\r{}: {} in {} s ", tool_, question.action, seconds_left);  // covers a digit more
    out_.draw(line.view());
  } else if (seconds_left == question.seconds || seconds_left % line_interval(seconds_left) == 0) {
    out_.print("{}: {} in {} s\n", tool_, question.action, seconds_left);
  }
}

bool CountdownPrompt::answered(const CountdownQuestion& question, Answer& answer) {
  if (signals_ != nullptr && signals_->signalled_again()) return true;
  if (keys_ == nullptr) return false;
  for (int i = 0; i < kKeysAtOnce; ++i) {
    const char key = keys_->next_key();
    if (key == '\0') break;
    if (key == '\n' || key == '\r') {
      if (typed_ == Typed::kOther) answer = Answer::kOther;
      if (typed_ != Typed::kMore) return true;
      typed_ = Typed::kNothing;
    } else {
      const bool other = key == question.key || key == question.key - 'a' + 'A';
      typed_ = other && typed_ == Typed::kNothing ? Typed::kOther : Typed::kMore;
    }
  }
  return false;
}

}  // namespace dormouse
