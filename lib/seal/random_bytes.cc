#include "seal/random_bytes.h"

#include <sys/random.h>

#include <cerrno>

namespace dormouse {

Result<void> fill_random(std::span<std::byte> target) {
  while (!target.empty()) {
    const auto moved = ::getrandom(target.data(), target.size(), 0);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return fail(Errc::kIo, "draw random numbers").os(errno);
    target = target.subspan(static_cast<std::size_t>(moved));
  }
  return {};
}

}  // namespace dormouse
