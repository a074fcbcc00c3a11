/// The reader's side of the key slots: from a passphrase or a key file to the data key of one image.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dormouse/error.h"
#include "dormouse/sealing.h"
#include "dormouse/secret.h"

#include "format/key_slot.h"

namespace dormouse {

/// The image whose slots they are; all of it is bound into each wrapped key.
struct SealedImage {
  std::span<const KeySlot> slots;  ///< validated by decode_image_header
  std::span<const std::byte, 16> image_id;
  Cipher cipher = Cipher::kAes256Gcm;
};

/// The data key. kWrongKey where no slot is opened by it. Tries every slot that a passphrase may open
/// (kPassphrase, kKeyPair), each for the cost that it states; kNoMemory names that.
Result<Secret> open_with_passphrase(const SealedImage& image, std::span<const std::byte> passphrase);
/// The same with 32 raw bytes; for a key pair kUsage: its private half needs its passphrase.
Result<Secret> open_with_key_file(const SealedImage& image, const KeyFile& key);

/// Is there a slot that a passphrase, or a key file, may open?
bool takes_passphrase(std::span<const KeySlot> slots);
bool takes_key_file(std::span<const KeySlot> slots);

}  // namespace dormouse
