/// Waiting for an answer, and answers that come as lines.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "dormouse/sealing.h"

#include "console/passphrase_source.h"

namespace dormouse {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kTurn = kSecond / 20;

/// There is a byte, or the end, or an error: read() will not wait.
bool readable(int fd) {
  pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&ready, 1, 0) > 0;
}

}  // namespace

AnswerWait::AnswerWait(Clock& clock, std::optional<unsigned> seconds, const std::function<bool()>& stop)
    : clock_(clock), seconds_(seconds), stop_(stop) {
  restart();
}

void AnswerWait::restart() {
  if (seconds_) end_ns_ = clock_.now_ns() + *seconds_ * kSecond;
}

std::optional<std::uint64_t> AnswerWait::seconds_left() {
  if (!seconds_) return std::nullopt;
  const std::uint64_t now = clock_.now_ns();
  return now >= end_ns_ ? 0 : (end_ns_ - now + kSecond - 1) / kSecond;
}

Result<void> AnswerWait::turn() {
  if (stop_ && stop_())
    return fail(Errc::kStopped, kAskPassphrase).because("stopped before there was an answer");
  if (seconds_left() == 0)
    return fail(Errc::kStopped, kAskPassphrase).because("nobody answered within {} s", *seconds_);
  clock_.pause_ns(kTurn);
  return {};
}

Result<Secret> LineSource::read(std::string_view, AnswerWait& wait) {
  // One byte more than there may be, to see that there are too many.
  auto line = Secret::allocate(kMaxPassphraseBytes + 1);
  if (!line) return line;
  for (std::size_t size = 0;;) {
    while (!readable(fd_)) {
      if (auto r = wait.turn(); !r) return std::unexpected(r.error());
    }
    const auto got = ::read(fd_, line->span().subspan(size).data(), 1);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return fail(Errc::kIo, kAskPassphrase).on("standard input").os(errno);
    if (got == 0 && size == 0) {
      return fail(Errc::kUsage, kAskPassphrase)
          .on("standard input")
          .because("it has no further line: each try takes one, and a passphrase cannot be empty");
    }
    if (got == 0 || line->span()[size] == std::byte{'\n'}) {
      line->shrink(size);
      return line;
    }
    if (++size > kMaxPassphraseBytes) {
      return fail(Errc::kUsage, kAskPassphrase)
          .on("standard input")
          .because("its line is longer than {} bytes, the most that a passphrase can have",
                   kMaxPassphraseBytes);
    }
  }
}

}  // namespace dormouse
