/// The sealing of the reference writer and reader: FORMAT.md, "Sealed images", over libgcrypt alone. Of lib/
/// it uses only what starts libgcrypt.
///
/// Keys, salts and nonces are given, so that the same image comes out every time. Nothing is kept secret
/// here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dormouse::test {

using ReferenceKey = std::array<std::byte, 32>;
using ReferenceTag = std::array<std::byte, 16>;

/// One way to open an image, with everything that the key slot is made of.
struct ReferenceWay {
  std::uint8_t way = 3;             ///< 1 passphrase, 2 key pair, 3 key file
  std::string passphrase = {};      ///< 1 and 2
  ReferenceKey raw_key = {};        ///< 3
  ReferenceKey private_key = {};    ///< 2
  ReferenceKey ephemeral_key = {};  ///< the private half
  std::uint32_t memory_kib = 8;
  std::uint32_t passes = 1;
  std::uint32_t lanes = 1;
  std::array<std::byte, 16> salt = {};
  std::array<std::byte, 12> wrap_nonce = {};
  std::array<std::byte, 12> private_nonce = {};
};

struct ReferenceSealing {
  std::uint8_t cipher = 1;  ///< as in the image header
  ReferenceKey image_key = {};
  std::vector<ReferenceWay> ways = {};
};

/// The 256 bytes of a slot.
std::vector<std::byte> make_reference_slot(const ReferenceWay& way, const ReferenceSealing& sealing,
                                           std::span<const std::byte> image_id);
/// The image key that a slot holds, by `passphrase` or `raw_key` of `secret`. Throws std::runtime_error where
/// it does not open.
ReferenceKey open_reference_slot(std::span<const std::byte> slot, const ReferenceWay& secret,
                                 std::uint8_t cipher, std::span<const std::byte> image_id);
ReferenceKey reference_data_key(const ReferenceKey& image_key, std::uint8_t cipher,
                                std::span<const std::byte> image_id);

/// Encrypts `text` in place. `use`: 0 chunk, 1 header.
ReferenceTag reference_seal(std::uint8_t cipher, const ReferenceKey& key, std::uint32_t use,
                            std::uint64_t number, std::span<const std::byte> associated,
                            std::span<std::byte> text);
/// Decrypts it in place; false where the tag does not match.
bool reference_open(std::uint8_t cipher, const ReferenceKey& key, std::uint32_t use, std::uint64_t number,
                    std::span<const std::byte> associated, std::span<std::byte> text,
                    const ReferenceTag& tag);

ReferenceKey reference_sha256(std::span<const std::byte> bytes);

}  // namespace dormouse::test
