/// A way to open a sealed image, as the image header holds it. Normative text: FORMAT.md, "Key slot".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dormouse/sealing.h"

#include "base/little_endian.h"

namespace dormouse {

/// A slot without a way is all zero.
struct KeySlot {
  std::uint8_t way = 0;  ///< KeyWay, 0: empty
  std::array<std::byte, 3> reserved_0{};
  // Argon2id over the passphrase; zero for a key file.
  Le32 memory_kib;
  Le32 passes;
  Le32 lanes;
  std::array<std::byte, 16> salt{};
  // The image key, sealed with the key of this slot.
  std::array<std::byte, 12> wrap_nonce{};
  Le32 reserved_1;
  std::array<std::byte, 32> wrapped_key{};
  std::array<std::byte, 16> wrap_tag{};
  /// Of the pair made for this image and slot alone.
  std::array<std::byte, 32> ephemeral_public{};
  // Key pairs only.
  std::array<std::byte, 32> public_key{};
  std::array<std::byte, 12> private_nonce{};
  Le32 reserved_2;
  std::array<std::byte, 32> sealed_private{};
  std::array<std::byte, 16> private_tag{};
  std::array<std::byte, 32> reserved_3{};
};
static_assert(sizeof(KeySlot) == 256 && alignof(KeySlot) == 1);

/// What its passphrase costs; all zero for a key file. From a disk: anything.
PassphraseCost cost_of(const KeySlot& slot);

/// What is wrong with a slot that is in use, as words that go on after "key slot 3: "; empty where nothing
/// is. Nobody can tell yet whether it is authentic: a reader must be able to pay what it asks for.
std::string_view fault_of(const KeySlot& slot);

}  // namespace dormouse
