/// The key of a key slot, which wraps the image key: from a passphrase, a key pair or a key file. Once from
/// the side that seals, once from the side that opens. FORMAT.md, "Key slots".
#pragma once

#include <span>

#include "dormouse/error.h"
#include "dormouse/sealing.h"
#include "dormouse/secret.h"

#include "format/key_slot.h"
#include "seal/hmac_sha256.h"
#include "seal/image_key.h"
#include "seal/key_file.h"
#include "seal/x25519.h"

namespace dormouse {

/// Fill in a fresh slot, but for what belongs to one image, and the public half of the pair that opens it.
/// The private half, which a passphrase or a key file makes, is forgotten at once: what is in memory when the
/// snapshot is taken may be found in the machine that wakes up, in pages that the kernel copied.
Result<void> make_passphrase_slot(std::span<const std::byte> passphrase, const PassphraseCost& cost,
                                  KeySlot& slot, PublicKey& public_half);
Result<void> make_key_pair_slot(const SealedPrivateHalf& half, KeySlot& slot, PublicKey& public_half);
Result<void> make_key_file_slot(HmacSha256& hmac, ConstKeySpan raw, KeySlot& slot, PublicKey& public_half);

/// After the snapshot: the slot's key, from a private half that nobody will have again, and its public half
/// into the slot. Allocates nothing where x25519_public() has run once. `shared`: overwritten.
Result<void> agree_on_slot_key(HmacSha256& hmac, ConstKeySpan ephemeral, const PublicKey& public_half,
                               KeySlot& slot, KeySpan shared, KeySpan key);

/// The key that the passphrase makes of a slot of kPassphrase or kKeyPair. Whether it is the right one shows
/// when the image key is unwrapped; kWrongKey where it is known before, kNoMemory where its cost cannot be
/// paid.
Result<void> passphrase_slot_key(HmacSha256& hmac, const KeySlot& slot, std::span<const std::byte> passphrase,
                                 KeySpan key);
/// The same for a slot of kKeyFile.
Result<void> key_file_slot_key(HmacSha256& hmac, const KeySlot& slot, ConstKeySpan raw, KeySpan key);

}  // namespace dormouse
