/// Where a passphrase comes from: a line on standard input, Plymouth, the terminal, or systemd-ask-password.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "dormouse/error.h"
#include "dormouse/secret.h"

namespace dormouse {

class PassphraseSource;
class SignalWatcher;

/// What is asked, and how. The texts live as long as the asker.
struct PassphraseRequest {
  std::string_view tool;    ///< put before every line: "resume"
  std::string_view prompt;  ///< without a colon: "passphrase of the image on /dev/sda2"
  bool confirm = false;     ///< a new passphrase: who types it types it twice
  bool boot = false;        ///< Plymouth may have the screen
  std::optional<unsigned> countdown_seconds = {};  ///< shown; each key pressed starts it anew. None: no limit
  /// Asked many times a second, by the thread that asks: true ends the asking. None: signals that ask to stop
  /// (SIGINT, SIGTERM ...) do; then nobody else may watch them.
  std::function<bool()> stop = {};
};

/// Asks one person, in one way, for as long as it lives. The first of these that is there:
///   1. standard input that is a pipe, a socket or a file: a line of it for each try
///   2. with `boot`, Plymouth, where it answers
///   3. the terminal behind standard input or standard error, without echo; Ctrl-C stops. It does not echo
///   from
///      open() on: keep no KeyWatcher beside this
///   4. systemd-ask-password, where systemd runs
/// The passphrase goes straight into locked memory. From open() on the process leaves no core dump. One
/// thread. Example:
///     auto asker = PassphraseAsker::open({.tool = "s2disk", .prompt = "new passphrase", .confirm = true});
///     if (asker) passphrase = asker->ask();
class PassphraseAsker {
 public:
  /// kUsage where nobody can be asked, with the ways there are to give it.
  static Result<PassphraseAsker> open(const PassphraseRequest& request);
  /// The same with a source of the caller's, for tests.
  static Result<PassphraseAsker> with_source(const PassphraseRequest& request,
                                             std::unique_ptr<PassphraseSource> source);

  PassphraseAsker(PassphraseAsker&&) noexcept;
  PassphraseAsker& operator=(PassphraseAsker&&) = delete;
  ~PassphraseAsker();

  /// The next try; never empty, at most kMaxPassphraseBytes. From the second on the person is told that the
  /// one before was wrong. kStopped on Ctrl-C, when asked to stop, or when the countdown ends; the detail
  /// says which. kUsage where the pipe has no further line, what it holds cannot be a passphrase, or two that
  /// had to agree did not in three rounds. kIo where whoever was to answer went away.
  Result<Secret> ask();

 private:
  PassphraseAsker(PassphraseRequest request, std::unique_ptr<SignalWatcher> signals,
                  std::unique_ptr<PassphraseSource> source);
  static Result<std::unique_ptr<SignalWatcher>> watch(const PassphraseRequest& request);
  Result<Secret> answer(std::string_view prompt);
  void remark(std::string_view line);

  PassphraseRequest request_;
  std::unique_ptr<SignalWatcher> signals_;  ///< only where the request brings no stop; outlives the source
  std::unique_ptr<PassphraseSource> source_;
  unsigned tries_ = 0;
  InlineText<120> unsaid_;  ///< for the next question to say
};

}  // namespace dormouse
