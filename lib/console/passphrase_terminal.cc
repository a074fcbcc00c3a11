/// A passphrase typed on a terminal.
#include <unistd.h>

#include <cerrno>

#include "dormouse/sealing.h"

#include "console/passphrase_source.h"
#include "console/terminal.h"

namespace dormouse {
namespace {

constexpr std::byte key(char c) {
  return static_cast<std::byte>(c);
}
constexpr std::byte kInterrupt{0x03};
constexpr std::byte kEndOfInput{0x04};
constexpr std::byte kKillLine{0x15};
constexpr std::byte kQuit{0x1c};
constexpr std::byte kDelete{0x7f};

/// The bytes behind the first of a character.
bool continues_character(std::byte b) {
  return (b & std::byte{0xc0}) == std::byte{0x80};
}

/// What has been typed so far.
class TypedLine {
 public:
  static Result<TypedLine> allocate() {
    auto bytes = Secret::allocate(kMaxPassphraseBytes);
    if (!bytes) return std::unexpected(bytes.error());
    return TypedLine(std::move(*bytes));
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] bool too_long() const { return excess_ > 0; }
  /// What does not fit is counted, not dropped unseen.
  void add(std::byte b) {
    if (size_ == bytes_.size()) {
      ++excess_;
    } else {
      bytes_.span()[size_++] = b;
    }
  }
  void take_back() {
    if (excess_ > 0) {
      --excess_;
      return;
    }
    while (size_ > 0 && continues_character(bytes_.span()[size_ - 1])) --size_;
    if (size_ > 0) --size_;
  }
  void clear() {
    bytes_.wipe();
    size_ = 0;
    excess_ = 0;
  }
  Secret finish() && {
    bytes_.shrink(size_);
    return std::move(bytes_);
  }

 private:
  explicit TypedLine(Secret bytes) : bytes_(std::move(bytes)) {}
  Secret bytes_;
  std::size_t size_ = 0;
  std::size_t excess_ = 0;
};

}  // namespace

void TerminalSource::put(std::string_view text) const {
  // A terminal that does not take it at once is held, or gone: whoever is there has seen the prompt before.
  (void)!::write(keys_.fd(), text.data(), text.size());
}

bool TerminalSource::say(std::string_view line) {
  InlineText<400> text;
  text.format("{}: {}\n", tool_, line);
  put(text.view());
  return true;
}

void TerminalSource::show(std::string_view prompt, AnswerWait& wait, bool first) {
  const auto left = wait.seconds_left();
  if (!first && (left == shown_ || left == 0)) return;
  InlineText<400> text;
  if (left) {
    text.format("\r{}: {} ({} s): {}", tool_, prompt, *left, first ? "" : " \b");  // covers a digit more
  } else {
    text.format("{}: {}: ", tool_, prompt);
  }
  // Drawn over itself only where it fits: a line that wraps would fill the screen.
  if (!first && text.view().size() > terminal_columns(keys_.fd())) return;
  shown_ = left;
  put(text.view());
}

Result<Secret> TerminalSource::read(std::string_view prompt, AnswerWait& wait) {
  auto line = TypedLine::allocate();
  if (!line) return std::unexpected(line.error());
  show(prompt, wait, /*first=*/true);
  for (;;) {
    std::byte typed{};
    const auto got = ::read(keys_.fd(), &typed, 1);
    if (got < 0 && errno != EAGAIN && errno != EINTR)
      return fail(Errc::kIo, kAskPassphrase).on("the terminal").os(errno);
    if (got == 0) return fail(Errc::kIo, kAskPassphrase).on("the terminal").because("it hung up");
    if (got < 0) {
      if (auto r = wait.turn(); !r) {
        put("\n");
        return std::unexpected(r.error());
      }
      show(prompt, wait, /*first=*/false);
      continue;
    }
    wait.restart();
    if (typed == key('\n') || typed == key('\r')) {
      put("\n");
      if (!line->too_long()) return std::move(*line).finish();
      return fail(Errc::kUsage, kAskPassphrase)
          .because("what was typed is longer than {} bytes, the most that a passphrase can have",
                   kMaxPassphraseBytes);
    }
    if (typed == kInterrupt || typed == kQuit || (typed == kEndOfInput && line->empty())) {
      put("\n");
      return fail(Errc::kStopped, kAskPassphrase).because("stopped by the user");
    }
    if (typed == kDelete || typed == key('\b')) {
      line->take_back();
    } else if (typed == kKillLine) {
      line->clear();
    } else {
      line->add(typed);
    }
  }
}

}  // namespace dormouse
