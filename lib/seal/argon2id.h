/// Argon2id (RFC 9106): from a passphrase to a key, at a price.
#pragma once

#include <cstddef>
#include <span>

#include "dormouse/error.h"
#include "dormouse/sealing.h"
#include "dormouse/secret.h"

namespace dormouse {

/// kUsage where the passphrase is empty or longer than kMaxPassphraseBytes, or the cost not payable;
/// kNoMemory names the memory. `salt` must not be empty.
Result<void> argon2id(std::span<const std::byte> passphrase, std::span<const std::byte> salt,
                      const PassphraseCost& cost, std::span<std::byte, kKeyBytes> key);

/// The same into memory of its own.
Result<Secret> passphrase_key(std::span<const std::byte> passphrase, std::span<const std::byte> salt,
                              const PassphraseCost& cost);

}  // namespace dormouse
