#include "console/progress_display.h"

#include <algorithm>

namespace dormouse {
namespace {

constexpr std::uint64_t kRedrawNs = 100'000'000;
constexpr std::uint64_t kPollNs = 20'000'000;

}  // namespace

Result<ProgressDisplay::Mode> ProgressDisplay::parse_mode(std::string_view text) {
  if (text == "auto") return Mode::kAuto;
  if (text == "bar") return Mode::kBar;
  if (text == "plain") return Mode::kPlain;
  if (text == "none") return Mode::kNone;
  return fail(Errc::kUsage, "read the kind of progress")
      .because("'{}' is none of auto, bar, plain, none", text);
}

ProgressDisplay::ProgressDisplay(Mode mode, MessageOutput& out, Clock& clock, KeyWatcher* keys,
                                 SignalWatcher* signals, StallWatch* stalls)
    : mode_(mode), out_(out), clock_(clock), keys_(keys), signals_(signals), stalls_(stalls) {
  if (mode_ == Mode::kAuto) mode_ = out.is_terminal() ? Mode::kBar : Mode::kPlain;
}

void ProgressDisplay::begin(std::string_view phase, std::uint64_t total_bytes) {
  phase_.format("{}", phase);
  total_bytes_ = total_bytes;
  done_bytes_ = 0;
  tenths_said_ = 0;
  began_ns_ = clock_.now_ns();
  drawn_ns_ = began_ns_;
  if (mode_ == Mode::kBar) show_bar(began_ns_);
}

void ProgressDisplay::advance(std::uint64_t done_bytes) {
  done_bytes_ = std::min(done_bytes, total_bytes_);
  if (stalls_ != nullptr) stalls_->moved(done_bytes_);
  if (mode_ == Mode::kPlain) return show_plain();
  if (mode_ != Mode::kBar) return;
  const auto now = clock_.now_ns();
  if (now - drawn_ns_ < kRedrawNs) return;
  drawn_ns_ = now;
  show_bar(now);
}

void ProgressDisplay::end() {
  if (mode_ == Mode::kPlain) return show_plain();
  if (mode_ != Mode::kBar) return;
  ProgressText text;
  out_.settle(format_bar(text, figures(clock_.now_ns()), terminal_columns(out_.fd())));
}

bool ProgressDisplay::stop_requested() {
  if (stop_) return true;
  const auto now = clock_.now_ns();
  if (polled_ && now - polled_ns_ < kPollNs) return false;
  polled_ = true;
  polled_ns_ = now;
  // Both are asked, always: each takes in what has come.
  const bool by_key = keys_ != nullptr && keys_->stop_requested();
  const bool by_signal = signals_ != nullptr && signals_->stop_requested();
  stop_ = by_key || by_signal;
  return stop_;
}

ProgressFigures ProgressDisplay::figures(std::uint64_t now_ns) const {
  return {phase_.view(), done_bytes_, total_bytes_, now_ns - began_ns_};
}

void ProgressDisplay::show_bar(std::uint64_t now_ns) {
  ProgressText text;
  out_.draw(format_bar(text, figures(now_ns), terminal_columns(out_.fd())));
}

void ProgressDisplay::show_plain() {
  const auto tenths = figures(began_ns_).percent() / 10;
  if (tenths <= tenths_said_) return;
  tenths_said_ = tenths;
  ProgressText text;
  out_.write(format_plain(text, figures(clock_.now_ns())));
}

}  // namespace dormouse
