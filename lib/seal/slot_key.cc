#include "seal/slot_key.h"

#include <algorithm>
#include <string_view>

#include "seal/argon2id.h"
#include "seal/random_bytes.h"
#include "seal/wipe_stack.h"

namespace dormouse {
namespace {

constexpr std::string_view kSlotLabel = "dormouse slot key";
constexpr std::string_view kFileLabel = "dormouse key file";

void put_cost(const PassphraseCost& cost, KeySlot& slot) {
  slot.memory_kib = cost.memory_kib;
  slot.passes = cost.passes;
  slot.lanes = cost.lanes;
}

SealedPrivateHalf half_of(const KeySlot& slot) {
  return {.public_key = slot.public_key,
          .salt = slot.salt,
          .cost = cost_of(slot),
          .nonce = slot.private_nonce,
          .sealed = slot.sealed_private,
          .tag = slot.private_tag};
}

/// From either side: the `shared` secret, bound to both public halves.
Result<void> key_of_pair(HmacSha256& hmac, const KeySlot& slot, const PublicKey& public_half,
                         ConstKeySpan shared, KeySpan key) {
  std::array<std::byte, 2 * sizeof(PublicKey)> salt{};
  std::ranges::copy(public_half, std::ranges::copy(slot.ephemeral_public, salt.begin()).out);
  return hkdf_sha256(hmac, shared, salt, std::as_bytes(std::span(kSlotLabel)), key);
}

/// The key of a slot whose `private_half` is known. `key` may be the same memory.
Result<void> opened_key(HmacSha256& hmac, const KeySlot& slot, ConstKeySpan private_half, KeySpan key) {
  auto shared = Secret::allocate(kKeyBytes);
  if (!shared) return std::unexpected(shared.error());
  const auto public_half = x25519_public(private_half);
  if (!public_half) return std::unexpected(public_half.error());
  const auto both = shared->span().first<kKeyBytes>();
  if (auto r = x25519_shared(private_half, slot.ephemeral_public, both); !r) return r;
  return key_of_pair(hmac, slot, *public_half, both, key);
}

Result<void> key_file_private_half(HmacSha256& hmac, const KeySlot& slot, ConstKeySpan raw, KeySpan half) {
  return hkdf_sha256(hmac, raw, slot.salt, std::as_bytes(std::span(kFileLabel)), half);
}

/// The public half of what `make` makes, which is forgotten.
template <class Make>
Result<void> keep_public_half(Make make, PublicKey& public_half) {
  const StackWiper wiper;
  auto private_half = Secret::allocate(kKeyBytes);
  if (!private_half) return std::unexpected(private_half.error());
  const auto half = private_half->span().first<kKeyBytes>();
  if (auto r = make(half); !r) return r;
  const auto made = x25519_public(half);
  if (!made) return std::unexpected(made.error());
  public_half = *made;
  return {};
}

}  // namespace

Result<void> make_passphrase_slot(std::span<const std::byte> passphrase, const PassphraseCost& cost,
                                  KeySlot& slot, PublicKey& public_half) {
  slot = {};
  slot.way = static_cast<std::uint8_t>(KeyWay::kPassphrase);
  put_cost(cost, slot);
  if (auto r = fill_random(slot.salt); !r) return r;
  return keep_public_half([&](KeySpan half) { return argon2id(passphrase, slot.salt, cost, half); },
                          public_half);
}

Result<void> make_key_pair_slot(const SealedPrivateHalf& half, KeySlot& slot, PublicKey& public_half) {
  slot = {};
  slot.way = static_cast<std::uint8_t>(KeyWay::kKeyPair);
  put_cost(half.cost, slot);
  slot.salt = half.salt;
  slot.public_key = half.public_key;
  slot.private_nonce = half.nonce;
  slot.sealed_private = half.sealed;
  slot.private_tag = half.tag;
  public_half = half.public_key;
  // A point of low order is better found out now than after the snapshot.
  auto tried = Secret::allocate(2 * kKeyBytes);
  if (!tried) return std::unexpected(tried.error());
  const auto own = tried->span().first<kKeyBytes>();
  if (auto r = fill_random(own); !r) return r;
  return x25519_shared(own, public_half, tried->span().last<kKeyBytes>());
}

Result<void> make_key_file_slot(HmacSha256& hmac, ConstKeySpan raw, KeySlot& slot, PublicKey& public_half) {
  slot = {};
  slot.way = static_cast<std::uint8_t>(KeyWay::kKeyFile);
  if (auto r = fill_random(slot.salt); !r) return r;
  return keep_public_half([&](KeySpan half) { return key_file_private_half(hmac, slot, raw, half); },
                          public_half);
}

Result<void> agree_on_slot_key(HmacSha256& hmac, ConstKeySpan ephemeral, const PublicKey& public_half,
                               KeySlot& slot, KeySpan shared, KeySpan key) {
  const auto own_public = x25519_public(ephemeral);
  if (!own_public) return std::unexpected(own_public.error());
  slot.ephemeral_public = *own_public;
  if (auto r = x25519_shared(ephemeral, public_half, shared); !r) return r;
  return key_of_pair(hmac, slot, public_half, shared, key);
}

Result<void> passphrase_slot_key(HmacSha256& hmac, const KeySlot& slot, std::span<const std::byte> passphrase,
                                 KeySpan key) {
  if (static_cast<KeyWay>(slot.way) == KeyWay::kPassphrase) {
    if (auto r = argon2id(passphrase, slot.salt, cost_of(slot), key); !r) return r;
    return opened_key(hmac, slot, key, key);
  }
  const auto private_half = open_private_half(half_of(slot), passphrase);
  if (!private_half) return std::unexpected(private_half.error());
  return opened_key(hmac, slot, private_half->span().first<kKeyBytes>(), key);
}

Result<void> key_file_slot_key(HmacSha256& hmac, const KeySlot& slot, ConstKeySpan raw, KeySpan key) {
  if (auto r = key_file_private_half(hmac, slot, raw, key); !r) return r;
  return opened_key(hmac, slot, key, key);
}

}  // namespace dormouse
