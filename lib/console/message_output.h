/// What the tools say to people: messages and progress, on stderr. Reports go to stdout, by other ways.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <utility>

#include "dormouse/error.h"

#include "base/unique_fd.h"
#include "console/held_text.h"
#include "console/terminal.h"

namespace dormouse {

/// Live, it writes like anybody. Frozen, it never waits and never allocates: a console is written through a
/// non-blocking descriptor of our own, and what a console does not take at once, and all text for anything
/// else, is held in a bounded buffer until thaw() delivers it. A write that fails is given up: there is
/// nobody to tell. Threads: any. Example:
///     auto out = MessageOutput::open(STDERR_FILENO);       // all memory is taken here
///     out->freeze();                                       // before SNAPSHOT_FREEZE
///     out->print("s2disk: writing {} pages\n", pages);
///     out->thaw();                                         // after SNAPSHOT_UNFREEZE; so does the
///     destructor
class MessageOutput {
 public:
  static constexpr std::size_t kHeldBytes = 64 * 1024;
  static constexpr std::size_t kMaxMessageBytes = 1024;

  /// For `fd`, which stays the caller's and must live as long. kNoMemory. A descriptor that is closed is no
  /// error.
  static Result<MessageOutput> open(int fd, std::size_t held_bytes = kHeldBytes);

  /// The same, whatever `fd` looks like. kConsole asks for a terminal.
  static Result<MessageOutput> open_as(OutputKind kind, int fd, std::size_t held_bytes = kHeldBytes);

  MessageOutput(MessageOutput&& other) noexcept;
  MessageOutput& operator=(MessageOutput&&) = delete;
  ~MessageOutput();

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] OutputKind kind() const { return kind_; }
  [[nodiscard]] bool is_terminal() const { return kind_ != OutputKind::kOther; }
  [[nodiscard]] bool frozen() const { return frozen_; }

  /// From here on nobody else runs. Requires: before the freeze. A second call does nothing.
  void freeze();
  /// Others run again: delivers what was held.
  void thaw();

  /// Says `text` (whole lines), sooner or later.
  void write(std::string_view text);
  /// The same, formatted; longer than kMaxMessageBytes is cut and ends in "...".
  template <class... Args>
  void print(fmt::format_string<Args...> pattern, Args&&... args) {
    std::array<char, kMaxMessageBytes> text;
    const auto end = fmt::format_to_n(text.data(), text.size(), pattern, std::forward<Args>(args)...).size;
    write_cut(text, end);
  }
  /// Shows `line` in place of the line drawn before (it begins with '\r', has no '\n'); only on terminals,
  /// only if it goes through at once while frozen; never held. A later write() begins on a line of its own.
  void draw(std::string_view line);
  /// The last of drawn lines (it too begins with '\r'): takes the place of the one drawn before, and is kept
  /// like written text.
  void settle(std::string_view line);

 private:
  MessageOutput(int fd, OutputKind kind, UniqueFd direct, HeldText held);
  void write_cut(std::array<char, kMaxMessageBytes>& text, std::size_t wanted);
  void put(std::string_view text);
  void write_waiting(std::string_view text) const;
  [[nodiscard]] std::size_t write_at_once(std::string_view text) const;

  int fd_;
  OutputKind kind_;
  std::mutex mutex_;  // the watch over a stalled step writes from a thread of its own
  UniqueFd direct_;   ///< our own non-blocking descriptor; only for consoles
  HeldText held_;
  bool frozen_ = false;
  bool drawn_ = false;  ///< the cursor stands behind a drawn line
};

}  // namespace dormouse
