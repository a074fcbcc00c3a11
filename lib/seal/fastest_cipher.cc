/// Which cipher is the quickest depends on the processor alone: whether it has instructions for AES, and
/// which.
#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <vector>

#include "dormouse/sealing.h"

#include "seal/aead.h"

namespace dormouse {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array kCandidates = {Cipher::kAes256Gcm, Cipher::kAes256Ocb, Cipher::kChaCha20Poly1305};
constexpr std::size_t kTextBytes = std::size_t{256} << 10;
constexpr int kRounds = 5;

}  // namespace

Result<Cipher> fastest_cipher() {
  std::vector<std::byte> text(kTextBytes);
  std::vector<Aead> aeads;
  for (const Cipher cipher : kCandidates) {
    auto aead = Aead::prepare(cipher);
    if (!aead) return std::unexpected(aead.error());
    aeads.push_back(std::move(*aead));
  }
  std::array<Clock::duration, kCandidates.size()> best{};
  best.fill(Clock::duration::max());
  // In turns, and the best of each: what else runs now disturbs all of them alike.
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < aeads.size(); ++i) {
      Tag tag{};
      const auto begin = Clock::now();
      if (auto r = aeads[i].seal(Nonce{}, {}, text, text, tag); !r) return std::unexpected(r.error());
      best[i] = std::min(best[i], Clock::now() - begin);
    }
  }
  return kCandidates[static_cast<std::size_t>(std::ranges::min_element(best) - best.begin())];
}

}  // namespace dormouse
