#include "seal/argon2id.h"

#include <array>

#include "seal/gcrypt_start.h"
#include "seal/wipe_stack.h"

namespace dormouse {
namespace {

constexpr std::string_view kDerive = "derive key from passphrase";

Failure unpayable(const PassphraseCost& cost) {
  return fail(Errc::kUsage, kDerive)
      .because(
          "Argon2id with {} KiB, {} passes and {} lanes is outside the limits: {} to {} KiB, at most {} "
          "passes and {} lanes, and memory times passes at most {} KiB",
          cost.memory_kib, cost.passes, cost.lanes, kMinCostMemoryKib, kMaxCostMemoryKib, kMaxCostPasses,
          kMaxCostLanes, kMaxCostWorkKib);
}

Failure failure(gcry_error_t error, const PassphraseCost& cost) {
  if (gcry_err_code(error) != GPG_ERR_ENOMEM) return gcrypt_failure(kDerive, error);
  return fail(Errc::kNoMemory, kDerive)
      .because("it takes {} KiB of memory, which are not there", cost.memory_kib);
}

Result<void> check(std::span<const std::byte> passphrase, const PassphraseCost& cost) {
  if (passphrase.empty()) return fail(Errc::kUsage, kDerive).because("the passphrase is empty");
  if (passphrase.size() > kMaxPassphraseBytes)
    return fail(Errc::kUsage, kDerive).because("the passphrase is longer than {} bytes", kMaxPassphraseBytes);
  if (!is_payable(cost)) return unpayable(cost);
  return {};
}

}  // namespace

Result<void> argon2id(std::span<const std::byte> passphrase, std::span<const std::byte> salt,
                      const PassphraseCost& cost, std::span<std::byte, kKeyBytes> key) {
  if (auto r = check(passphrase, cost); !r) return r;
  if (auto started = start_gcrypt(); !started) return started;
  const StackWiper wiper;
  const std::array<unsigned long, 4> parameters{key.size(), cost.passes, cost.memory_kib, cost.lanes};
  gcry_kdf_hd_t handle = nullptr;
  auto error =
      gcry_kdf_open(&handle, GCRY_KDF_ARGON2, GCRY_KDF_ARGON2ID, parameters.data(), parameters.size(),
                    passphrase.data(), passphrase.size(), salt.data(), salt.size(), nullptr, 0, nullptr, 0);
  if (error != 0) return failure(error, cost);
  error = gcry_kdf_compute(handle, nullptr);
  if (error == 0) error = gcry_kdf_final(handle, key.size(), key.data());
  gcry_kdf_close(handle);
  if (error != 0) return failure(error, cost);
  return {};
}

Result<Secret> passphrase_key(std::span<const std::byte> passphrase, std::span<const std::byte> salt,
                              const PassphraseCost& cost) {
  auto key = Secret::allocate(kKeyBytes);
  if (!key) return key;
  if (auto r = argon2id(passphrase, salt, cost, key->span().first<kKeyBytes>()); !r)
    return std::unexpected(r.error());
  return key;
}

}  // namespace dormouse
