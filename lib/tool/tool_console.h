/// What a tool says and listens to while it works: messages, progress, keys, signals.
#pragma once

#include <memory>
#include <string_view>

#include "dormouse/cycle_observer.h"

#include "console/clock.h"
#include "console/countdown_prompt.h"
#include "console/key_watcher.h"
#include "console/message_output.h"
#include "console/progress_display.h"
#include "console/signal_watcher.h"
#include "console/stall_watch.h"

namespace dormouse {

/// Made before the freeze; from then on allocates nothing and never waits for another process.
class ToolConsole final : public CycleObserver {
 public:
  /// `tool` is put before every message. `scope` says which terminals may be watched for keys.
  static Result<std::unique_ptr<ToolConsole>> open(std::string_view tool, ProgressDisplay::Mode mode,
                                                   KeyWatcher::Scope scope);

  [[nodiscard]] MessageOutput& out() { return out_; }
  [[nodiscard]] Progress& progress() { return progress_; }
  /// From here on a line is printed when nothing moves for 10 s. For work without steps; step() does it by
  /// itself.
  void watch_for_stalls(std::string_view name);
  /// Somebody else is to ask the person here, for as long as that takes: leaves the keys of the terminal to
  /// them, and takes no stillness for a stall.
  void begin_asking();
  /// The keys are watched again; for stalls nobody watches until told to. Does nothing a second time.
  void end_asking();
  [[nodiscard]] bool keys_active() const { return keys_.active(); }
  /// Asks by the same terminal and keys; must not outlive this.
  [[nodiscard]] CountdownPrompt prompt() { return {tool_, out_, clock_, &keys_, &signals_}; }

  /// "s2disk: text\n" on stderr.
  template <class... Args>
  void say(fmt::format_string<Args...> pattern, Args&&... args) {
    InlineText<MessageOutput::kMaxMessageBytes> text;
    text.format(pattern, std::forward<Args>(args)...);
    out_.print("{}: {}\n", tool_, text.view());
  }
  /// The same for a step that is announced only where somebody watches: progress is not `none`.
  void freezing() override;
  void thawing() override;
  void thawed() override;
  void step(std::string_view name) override;
  [[nodiscard]] bool reboot_chosen() override;
  [[nodiscard]] bool stop_requested() override { return progress_.stop_requested(); }

 private:
  ToolConsole(std::string_view tool, ProgressDisplay::Mode mode, KeyWatcher::Scope scope, MessageOutput out,
              SignalWatcher signals);

  std::string_view tool_;
  ProgressDisplay::Mode mode_;
  KeyWatcher::Scope scope_;
  bool asking_ = false;
  MonotonicClock clock_;
  MessageOutput out_;
  SignalWatcher signals_;
  KeyWatcher keys_;
  StallWatch stalls_;
  ProgressDisplay progress_;
};

}  // namespace dormouse
