/// The ways there are to get a passphrase from somebody, each by itself.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dormouse/error.h"
#include "dormouse/secret.h"

#include "base/unique_fd.h"
#include "console/clock.h"
#include "console/single_keys.h"

namespace dormouse {

inline constexpr std::string_view kAskPassphrase = "ask for the passphrase";

/// How long somebody is waited for.
class AnswerWait {
 public:
  /// `seconds`: none for no limit. `clock` and `stop` live as long.
  AnswerWait(Clock& clock, std::optional<unsigned> seconds, const std::function<bool()>& stop);
  /// Lets a moment pass. kStopped, with the reason, once the time is up or stopping was asked for.
  Result<void> turn();
  /// The time begins anew: somebody is there.
  void restart();
  /// Until the end, rounded up; nothing where there is none.
  [[nodiscard]] std::optional<std::uint64_t> seconds_left();
  [[nodiscard]] std::optional<unsigned> limit_seconds() const { return seconds_; }

 private:
  Clock& clock_;
  std::optional<unsigned> seconds_;
  const std::function<bool()>& stop_;
  std::uint64_t end_ns_ = 0;
};

class PassphraseSource {
 public:
  virtual ~PassphraseSource() = default;
  /// One answer to `prompt`; may be empty. Errors as PassphraseAsker::ask() has them.
  virtual Result<Secret> read(std::string_view prompt, AnswerWait& wait) = 0;
  /// Somebody types it, unseen, and may err: asks again, and twice for a new one.
  [[nodiscard]] virtual bool asks_a_person() const = 0;
  /// False: nobody would see it, so that the next question has to say it.
  virtual bool say(std::string_view line) {
    (void)line;
    return false;
  }
};

/// A line at a time, without its end and not a byte further: the rest is for others. `fd` stays the caller's.
class LineSource final : public PassphraseSource {
 public:
  explicit LineSource(int fd) : fd_(fd) {}
  Result<Secret> read(std::string_view prompt, AnswerWait& wait) override;
  [[nodiscard]] bool asks_a_person() const override { return false; }

 private:
  int fd_;
};

/// Keys of a terminal. Backspace takes back a character (of UTF-8), Ctrl-U all; Ctrl-C, and Ctrl-D where
/// nothing was typed, stop.
class TerminalSource final : public PassphraseSource {
 public:
  TerminalSource(std::string_view tool, SingleKeys keys) : tool_(tool), keys_(std::move(keys)) {}
  Result<Secret> read(std::string_view prompt, AnswerWait& wait) override;
  [[nodiscard]] bool asks_a_person() const override { return true; }
  bool say(std::string_view line) override;

 private:
  void show(std::string_view prompt, AnswerWait& wait, bool first);
  void put(std::string_view text) const;

  std::string tool_;
  SingleKeys keys_;
  std::optional<std::uint64_t> shown_;  ///< seconds left, as they stand on the screen
};

/// A program that asks, and prints what was typed: one run for each answer. It is ended when the time is up.
class ProgramSource final : public PassphraseSource {
 public:
  enum class Kind : std::uint8_t { kPlymouth, kSystemd };
  explicit ProgramSource(Kind kind) : kind_(kind) {}
  Result<Secret> read(std::string_view prompt, AnswerWait& wait) override;
  [[nodiscard]] bool asks_a_person() const override { return true; }

  /// True if Plymouth runs and has the screen.
  [[nodiscard]] static bool plymouth_answers();

 private:
  Kind kind_;
};

/// What the machine has to ask by.
struct AskingMeans {
  bool stdin_is_stream = false;  ///< a pipe, a socket or a regular file
  bool plymouth = false;
  bool terminal = false;
  bool systemd = false;
};

enum class AskingWay : std::uint8_t { kStandardInput, kPlymouth, kTerminal, kSystemd, kNone };
[[nodiscard]] AskingWay choose_way(const AskingMeans& means);

}  // namespace dormouse
