/// What a passphrase costs: as much as a person is willing to wait, and as a small initramfs can pay.
#include <algorithm>
#include <array>
#include <chrono>

#include "dormouse/sealing.h"

#include "seal/argon2id.h"

namespace dormouse {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kChosenMilliseconds = 1000;
constexpr std::uint32_t kLeastPasses = 3;
/// A slow processor gets less memory before it gets fewer passes, but not less than this.
constexpr std::uint32_t kLeastMemoryKib = 16 * 1024;
/// Argon2 works on four slices of a lane: other sizes are cut down to this.
constexpr std::uint32_t kMemoryStepKib = 4;

constexpr std::uint32_t stepped(std::uint64_t memory_kib) {
  return static_cast<std::uint32_t>(memory_kib / kMemoryStepKib * kMemoryStepKib);
}

Result<double> milliseconds_of(const PassphraseCost& cost) {
  constexpr std::array<std::byte, 16> kAny{std::byte{1}};
  std::array<std::byte, kKeyBytes> ignored{};
  const auto begin = Clock::now();
  if (auto r = argon2id(kAny, kAny, cost, ignored); !r) return std::unexpected(r.error());
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

}  // namespace

Result<PassphraseCost> measure_passphrase_cost(unsigned milliseconds, std::uint64_t memory_limit_kib) {
  PassphraseCost cost;
  cost.memory_kib =
      std::max(kMinCostMemoryKib, stepped(std::min<std::uint64_t>(memory_limit_kib, kMaxChosenMemoryKib)));
  cost.passes = 1;
  const auto pass = milliseconds_of(cost);
  if (!pass) return std::unexpected(pass.error());
  const double one_pass = std::max(*pass, 0.001);
  const double passes = milliseconds / one_pass;
  if (passes < kLeastPasses) {
    const auto affordable = stepped(static_cast<std::uint64_t>(cost.memory_kib * passes / kLeastPasses));
    cost.memory_kib = std::max(affordable, std::min(cost.memory_kib, kLeastMemoryKib));
  }
  cost.passes = static_cast<std::uint32_t>(std::clamp<double>(passes, kLeastPasses, kMaxCostPasses));
  return cost;
}

Result<PassphraseCost> choose_passphrase_cost(std::uint64_t free_bytes) {
  return measure_passphrase_cost(kChosenMilliseconds, free_bytes / 2 / 1024);
}

}  // namespace dormouse
