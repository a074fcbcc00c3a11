/// X25519 (RFC 7748): a secret shared by two who know each other's public half only.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "dormouse/error.h"
#include "dormouse/sealing.h"

namespace dormouse {

using PublicKey = std::array<std::byte, 32>;

/// Any 32 bytes are a private half.
Result<PublicKey> x25519_public(std::span<const std::byte, kKeyBytes> private_half);

/// kCorrupt where the public half is one of the few that give zero whatever the private half is.
Result<void> x25519_shared(std::span<const std::byte, kKeyBytes> private_half, const PublicKey& public_half,
                           std::span<std::byte, kKeyBytes> shared);

}  // namespace dormouse
