#include "console/message_output.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace dormouse {

Result<MessageOutput> MessageOutput::open(int fd, std::size_t held_bytes) {
  return open_as(classify_output(fd), fd, held_bytes);
}

Result<MessageOutput> MessageOutput::open_as(OutputKind kind, int fd, std::size_t held_bytes) {
  auto held = HeldText::allocate(held_bytes);
  if (!held) return std::unexpected(held.error());
  UniqueFd direct;
  if (kind == OutputKind::kConsole) {
    // A console we cannot open again is held back like a pipe: late is better than a machine that stands
    // still.
    if (auto opened = reopen_terminal(fd, O_WRONLY)) direct = std::move(*opened);
  }
  return MessageOutput(fd, kind, std::move(direct), std::move(*held));
}

MessageOutput::MessageOutput(int fd, OutputKind kind, UniqueFd direct, HeldText held)
    : fd_(fd), kind_(kind), direct_(std::move(direct)), held_(std::move(held)) {}

MessageOutput::MessageOutput(MessageOutput&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      kind_(other.kind_),
      direct_(std::move(other.direct_)),
      held_(std::move(other.held_)),
      frozen_(other.frozen_),
      drawn_(other.drawn_) {}

MessageOutput::~MessageOutput() {
  if (fd_ >= 0) thaw();
}

void MessageOutput::freeze() {
  const std::lock_guard lock(mutex_);
  frozen_ = true;
}

void MessageOutput::thaw() {
  const std::lock_guard lock(mutex_);
  frozen_ = false;
  for (auto text = held_.front(); !text.empty(); text = held_.front()) {
    write_waiting(text);
    held_.pop(text.size());
  }
}

void MessageOutput::write(std::string_view text) {
  const std::lock_guard lock(mutex_);
  put(text);
}

void MessageOutput::put(std::string_view text) {
  if (drawn_) {
    drawn_ = false;
    put("\n");
  }
  if (!frozen_) return write_waiting(text);
  while (!held_.empty()) {  // what waits goes first
    const auto written = write_at_once(held_.front());
    if (written == 0) break;
    held_.pop(written);
  }
  if (held_.empty()) text.remove_prefix(write_at_once(text));
  held_.append(text);
}

void MessageOutput::draw(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (!is_terminal()) return;
  if (!frozen_) {
    write_waiting(line);
    drawn_ = true;
  } else if (held_.empty() && write_at_once(line) != 0) {
    drawn_ = true;
  }
}

void MessageOutput::settle(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (!drawn_ && line.starts_with('\r')) line.remove_prefix(1);
  drawn_ = false;
  put(line);
  put("\n");
}

void MessageOutput::write_cut(std::array<char, kMaxMessageBytes>& text, std::size_t wanted) {
  constexpr std::string_view kCut = "...\n";
  if (wanted > text.size()) std::ranges::copy(kCut, text.end() - kCut.size());
  write({text.data(), std::min(wanted, text.size())});
}

void MessageOutput::write_waiting(std::string_view text) const {
  while (!text.empty()) {
    const auto written = ::write(fd_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {  // someone who shares the descriptor made it non-blocking
      pollfd ready{.fd = fd_, .events = POLLOUT, .revents = 0};
      if (::poll(&ready, 1, -1) < 0 && errno != EINTR) return;
    } else if (errno != EINTR) {
      return;
    }
  }
}

/// Bytes the console took; 0 for everything that is no console.
std::size_t MessageOutput::write_at_once(std::string_view text) const {
  if (!direct_.valid()) return 0;
  const auto written = ::write(direct_.get(), text.data(), text.size());
  return written < 0 ? 0 : static_cast<std::size_t>(written);
}

}  // namespace dormouse
