/// The key of one image: drawn, wrapped in its slots, and what the data is sealed with derived from it.
/// FORMAT.md, "Sealed images". Nothing here allocates once the contexts are there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dormouse/error.h"
#include "dormouse/sealing.h"

#include "format/key_slot.h"
#include "seal/aead.h"
#include "seal/hmac_sha256.h"

namespace dormouse {

using KeySpan = std::span<std::byte, kKeyBytes>;
using ConstKeySpan = std::span<const std::byte, kKeyBytes>;

/// What a key belongs to, and is bound to.
struct ImageBinding {
  std::span<const std::byte, 16> image_id;
  Cipher cipher = Cipher::kAes256Gcm;
};

/// Bytes that nobody can foretell. The kernel's generator is part of the snapshot itself: the system that
/// wakes up may be given the same bytes as were drawn after the snapshot. So what has moved on in the
/// meantime goes in, too: the clocks, how many draws there were before, and the id of the image. `seed` is
/// used and wiped.
class ImageKeySource {
 public:
  static constexpr std::size_t kSeedBytes = HmacSha256::kMaxKeyBytes;

  /// `seed`: in locked memory.
  ImageKeySource(HmacSha256& hmac, std::span<std::byte, kSeedBytes> seed) : hmac_(hmac), seed_(seed) {}
  ImageKeySource(const ImageKeySource&) = delete;
  ImageKeySource& operator=(const ImageKeySource&) = delete;
  ~ImageKeySource();

  /// Takes 64 bytes of the kernel's, and the time. To be called before draw().
  Result<void> open(std::span<const std::byte, 16> image_id, std::uint64_t draws_before);
  /// Each other than the one before.
  Result<void> draw(KeySpan target);

 private:
  struct Moment;
  HmacSha256& hmac_;
  std::span<std::byte, kSeedBytes> seed_;
  std::array<std::byte, 48> moment_{};
  std::uint64_t number_ = 0;
};

/// What chunks and header are sealed with.
Result<void> derive_data_key(HmacSha256& hmac, ConstKeySpan image_key, const ImageBinding& binding,
                             KeySpan data_key);

/// Fills wrapped_key and wrap_tag. The other fields must be final: all of them are bound. `aead` is a
/// ChaCha20-Poly1305; its key is forgotten afterwards.
Result<void> wrap_image_key(Aead& aead, KeySlot& slot, ConstKeySpan slot_key, const ImageBinding& binding,
                            ConstKeySpan image_key);

/// kWrongKey where the slot is not opened by that key.
Result<void> unwrap_image_key(Aead& aead, const KeySlot& slot, ConstKeySpan slot_key,
                              const ImageBinding& binding, KeySpan image_key);

}  // namespace dormouse
