/// Images of which there are only the slots.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "dormouse/sealing.h"

#include "seal/bytes.h"
#include "seal/image_opener.h"
#include "support/cheap_cost.h"
#include "support/raw_key.h"
#include "support/temporary_directory.h"

namespace dormouse::test {

inline constexpr std::array<std::byte, 16> kImageId{std::byte{1}, std::byte{2}, std::byte{3}};

using Slots = std::array<KeySlot, kMaxKeyWays>;

inline Slots slots_of(const ImageSeal& seal) {
  Slots slots;
  seal.put_slots(std::as_writable_bytes(std::span(slots)));
  return slots;
}

/// As a reader sees it, the first `ways` slots.
inline SealedImage image_of(const Slots& slots, std::size_t ways, Cipher cipher = Cipher::kAes256Gcm) {
  return {.slots = std::span(slots).first(ways), .image_id = kImageId, .cipher = cipher};
}

inline Bytes key_of(const ImageSeal& seal) {
  const auto key = seal.data_key();
  return {key.begin(), key.end()};
}

inline Bytes content_of(const Secret& secret) {
  const auto bytes = secret.span();
  return {bytes.begin(), bytes.end()};
}

}  // namespace dormouse::test
