/// A question that answers itself when its time is up.
#pragma once

#include <cstdint>
#include <string_view>

#include "console/clock.h"
#include "console/key_watcher.h"
#include "console/message_output.h"
#include "console/signal_watcher.h"

namespace dormouse {

struct CountdownQuestion {
  std::string_view action;  ///< what happens when the time is up: "restarting to try again"
  std::string_view now;     ///< what Enter does: "restart now"
  char key = 0;             ///< small letter that, alone on a line, chooses the other way
  std::string_view other;   ///< what that one does
  unsigned seconds = 0;     ///< 0: nobody is asked
};

/// Works without a keyboard, without a terminal, and with either hung up: the time then simply passes. What
/// it prints:
///     resume: press Enter to restart now, d and Enter to discard the image   (only where there are keys)
///     resume: restarting to try again in 20 s
/// A line with anything else on it is no answer: somebody may be typing on, a passphrase for instance,
/// without looking. The last line is drawn anew each second on a terminal, and printed every few seconds
/// elsewhere.
class CountdownPrompt {
 public:
  enum class Answer : std::uint8_t {
    kDefault,  ///< Enter alone, a signal that asks to stop, or nothing at all
    kOther,    ///< the other key and Enter
  };

  /// `tool` is put before every line. `out`, `clock` and, where given, `keys` and `signals` must live as
  /// long.
  CountdownPrompt(std::string_view tool, MessageOutput& out, Clock& clock, KeyWatcher* keys,
                  SignalWatcher* signals)
      : tool_(tool), out_(out), clock_(clock), keys_(keys), signals_(signals) {}

  /// Never takes longer than it shows. Keys pressed and signals that came before do not count.
  [[nodiscard]] Answer ask(const CountdownQuestion& question);

 private:
  /// On the line that has not ended yet.
  enum class Typed : std::uint8_t { kNothing, kOther, kMore };

  void show(const CountdownQuestion& question, std::uint64_t seconds_left);
  [[nodiscard]] bool answered(const CountdownQuestion& question, Answer& answer);

  std::string_view tool_;
  MessageOutput& out_;
  Clock& clock_;
  KeyWatcher* keys_;
  SignalWatcher* signals_;
  Typed typed_ = Typed::kNothing;
};

}  // namespace dormouse
