/// HMAC-SHA-256 (RFC 2104, FIPS 198-1) and what is derived with it: HKDF (RFC 5869).
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "dormouse/error.h"

#include "seal/sha256.h"

namespace dormouse {

struct DigestHandle;

/// One thread; only prepare() allocates.
class HmacSha256 {
 public:
  /// The longest key that is taken without hashing it first.
  static constexpr std::size_t kMaxKeyBytes = 64;

  static Result<HmacSha256> prepare();
  HmacSha256(HmacSha256&&) noexcept;
  HmacSha256& operator=(HmacSha256&&) noexcept;
  ~HmacSha256();

  /// Begins a new text. Requires: at most kMaxKeyBytes; none is the same as 32 zero bytes.
  Result<void> set_key(std::span<const std::byte> key);
  void update(std::span<const std::byte> data);
  /// Of all since set_key(), which is then due.
  void value(std::span<std::byte, 32> target);
  /// Overwrites the key.
  void forget();

 private:
  explicit HmacSha256(std::unique_ptr<DigestHandle> digest);
  std::unique_ptr<DigestHandle> digest_;
};

/// HKDF-SHA256, extract and expand, into `target` (1..255 * 32 bytes). Requires: a salt of at most
/// HmacSha256::kMaxKeyBytes. Allocates nothing.
Result<void> hkdf_sha256(HmacSha256& hmac, std::span<const std::byte> key_material,
                         std::span<const std::byte> salt, std::span<const std::byte> info,
                         std::span<std::byte> target);

}  // namespace dormouse
