#include "seal/x25519.h"

#include <algorithm>

#include "seal/gcrypt_start.h"
#include "seal/wipe_stack.h"

namespace dormouse {
namespace {

constexpr std::string_view kAgree = "agree on a key";
/// Much more than the multiplication takes. libgcrypt ends the program where it gets no memory in the middle
/// of one.
constexpr std::size_t kWorkBytes = 24 << 10;

/// `point` null: the base point.
Result<void> multiply(std::span<const std::byte, kKeyBytes> scalar, const std::byte* point,
                      std::byte* result) {
  if (auto started = start_gcrypt(); !started) return started;
  if (auto r = gcrypt_pool().reserve(kWorkBytes); !r) return r;
  const StackWiper wiper;
  const auto as_uchar = [](const std::byte* bytes) { return reinterpret_cast<const unsigned char*>(bytes); };
  const auto error = gcry_ecc_mul_point(GCRY_ECC_CURVE25519, reinterpret_cast<unsigned char*>(result),
                                        as_uchar(scalar.data()), as_uchar(point));
  if (error != 0) return gcrypt_failure(kAgree, error);
  return {};
}

}  // namespace

Result<PublicKey> x25519_public(std::span<const std::byte, kKeyBytes> private_half) {
  PublicKey result{};
  if (auto r = multiply(private_half, nullptr, result.data()); !r) return std::unexpected(r.error());
  return result;
}

Result<void> x25519_shared(std::span<const std::byte, kKeyBytes> private_half, const PublicKey& public_half,
                           std::span<std::byte, kKeyBytes> shared) {
  if (auto r = multiply(private_half, public_half.data(), shared.data()); !r) return r;
  // Not one branch for each byte: the secret would show in the time.
  std::byte any{};
  for (const std::byte b : shared) any |= b;
  if (any == std::byte{0})
    return fail(Errc::kCorrupt, kAgree).because("the public half is a point of low order, which is no key");
  return {};
}

}  // namespace dormouse
