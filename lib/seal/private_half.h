/// The private half of a key pair, sealed with a passphrase, as key files and key slots hold it.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "dormouse/error.h"
#include "dormouse/sealing.h"
#include "dormouse/secret.h"

#include "seal/aead.h"
#include "seal/x25519.h"

namespace dormouse {

using Salt = std::array<std::byte, 16>;

struct SealedPrivateHalf {
  PublicKey public_key{};
  Salt salt{};
  PassphraseCost cost;
  Nonce nonce{};
  std::array<std::byte, kKeyBytes> sealed{};
  Tag tag{};
};

/// A new key pair. FORMAT.md, "Key pairs".
Result<SealedPrivateHalf> make_key_pair(std::span<const std::byte> passphrase, const PassphraseCost& cost);

/// kWrongKey for another passphrase, and where any byte of it has been changed.
Result<Secret> open_private_half(const SealedPrivateHalf& half, std::span<const std::byte> passphrase);

}  // namespace dormouse
