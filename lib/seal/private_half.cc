#include "seal/private_half.h"

#include <algorithm>
#include <string_view>

#include "seal/argon2id.h"
#include "seal/random_bytes.h"
#include "seal/wipe_stack.h"

namespace dormouse {
namespace {

constexpr std::string_view kLabel = "dormouse private key";
using Associated = std::array<std::byte, kLabel.size() + sizeof(PublicKey)>;

Associated associated_data(const PublicKey& public_key) {
  Associated data{};
  const auto rest = std::ranges::copy(std::as_bytes(std::span(kLabel)), data.begin()).out;
  std::ranges::copy(public_key, rest);
  return data;
}

/// The cipher that seals private halves, with the key that the passphrase makes.
Result<Aead> passphrase_cipher(const SealedPrivateHalf& half, std::span<const std::byte> passphrase) {
  const auto key = passphrase_key(passphrase, half.salt, half.cost);
  if (!key) return std::unexpected(key.error());
  auto aead = Aead::prepare(Cipher::kChaCha20Poly1305);
  if (!aead) return aead;
  if (auto r = aead->set_key(key->span().first<kKeyBytes>()); !r) return std::unexpected(r.error());
  return aead;
}

}  // namespace

Result<SealedPrivateHalf> make_key_pair(std::span<const std::byte> passphrase, const PassphraseCost& cost) {
  const StackWiper wiper;
  auto private_half = Secret::allocate(kKeyBytes);
  if (!private_half) return std::unexpected(private_half.error());
  SealedPrivateHalf half{.cost = cost};
  if (auto r = fill_random(private_half->span()); !r) return std::unexpected(r.error());
  if (auto r = fill_random(half.salt); !r) return std::unexpected(r.error());
  if (auto r = fill_random(half.nonce); !r) return std::unexpected(r.error());
  const auto public_key = x25519_public(private_half->span().first<kKeyBytes>());
  if (!public_key) return std::unexpected(public_key.error());
  half.public_key = *public_key;
  auto aead = passphrase_cipher(half, passphrase);
  if (!aead) return std::unexpected(aead.error());
  const auto sealed =
      aead->seal(half.nonce, associated_data(half.public_key), private_half->span(), half.sealed, half.tag);
  if (!sealed) return std::unexpected(sealed.error());
  return half;
}

Result<Secret> open_private_half(const SealedPrivateHalf& half, std::span<const std::byte> passphrase) {
  const StackWiper wiper;
  auto aead = passphrase_cipher(half, passphrase);
  if (!aead) return std::unexpected(aead.error());
  auto private_half = Secret::allocate(kKeyBytes);
  if (!private_half) return private_half;
  const auto opened =
      aead->open(half.nonce, associated_data(half.public_key), half.sealed, private_half->span(), half.tag);
  if (opened) return private_half;
  if (opened.error().code != Errc::kCorrupt) return std::unexpected(opened.error());
  return fail(Errc::kWrongKey, "open private half").because("the passphrase is not the one that sealed it");
}

}  // namespace dormouse
