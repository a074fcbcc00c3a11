/// Progress for people, on the message output.
#pragma once

#include <cstdint>
#include <string_view>

#include "dormouse/error.h"
#include "dormouse/progress.h"

#include "console/clock.h"
#include "console/key_watcher.h"
#include "console/message_output.h"
#include "console/progress_line.h"
#include "console/signal_watcher.h"
#include "console/stall_watch.h"

namespace dormouse {

/// `advance(done_bytes)` takes the bytes passed since begin(), not since the last call.
/// No call allocates or waits. Example:
///     ProgressDisplay progress(ProgressDisplay::Mode::kAuto, out, clock, &keys, &signals);
///     writer.write(source, progress);
class ProgressDisplay final : public Progress {
 public:
  enum class Mode : std::uint8_t {
    kAuto,   ///< bar on a terminal, plain elsewhere
    kBar,    ///< one line, redrawn at most ten times a second, with rate and time left
    kPlain,  ///< a line per 10 %
    kNone,   ///< silent; still asks whether to stop
  };
  /// Reads "auto", "bar", "plain", "none". kUsage names what was wrong and lists what there is.
  static Result<Mode> parse_mode(std::string_view text);

  /// `out`, `clock` and, where given, `keys`, `signals` and `stalls` (which is told what moved) must live as
  /// long.
  ProgressDisplay(Mode mode, MessageOutput& out, Clock& clock, KeyWatcher* keys, SignalWatcher* signals,
                  StallWatch* stalls = nullptr);

  void begin(std::string_view phase, std::uint64_t total_bytes) override;
  void advance(std::uint64_t done_bytes) override;
  void end() override;
  /// Looks at keys and signals at most every 20 ms. Once true, always true.
  [[nodiscard]] bool stop_requested() override;

 private:
  [[nodiscard]] ProgressFigures figures(std::uint64_t now_ns) const;
  void show_bar(std::uint64_t now_ns);
  void show_plain();

  Mode mode_;
  MessageOutput& out_;
  Clock& clock_;
  KeyWatcher* keys_;
  SignalWatcher* signals_;
  StallWatch* stalls_;
  InlineText<32> phase_;
  std::uint64_t total_bytes_ = 0;
  std::uint64_t done_bytes_ = 0;
  std::uint64_t began_ns_ = 0;
  std::uint64_t drawn_ns_ = 0;
  std::uint64_t polled_ns_ = 0;
  unsigned tenths_said_ = 0;
  bool polled_ = false;
  bool stop_ = false;
};

}  // namespace dormouse
