/// What a wrapped key is bound to, and that the bytes on the disk are those that FORMAT.md says.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "dormouse/sealing.h"

#include "seal/aead.h"
#include "seal/argon2id.h"
#include "seal/hmac_sha256.h"
#include "seal/sealed.h"
#include "seal/x25519.h"

namespace dormouse::test {
namespace {

struct Sealed {
  ImageSeal seal = ImageSeal::prepare(Cipher::kAes256Ocb).value();
  Slots slots{};
  std::optional<KeyFile> key = std::nullopt;  ///< what opens it; else the passphrase "x" does

  void draw(std::span<const std::byte, 16> image_id = kImageId) {
    ASSERT_TRUE(seal.draw(image_id));
    slots = slots_of(seal);
  }
  [[nodiscard]] SealedImage image() const { return image_of(slots, 1, Cipher::kAes256Ocb); }
  [[nodiscard]] Result<Secret> open(const SealedImage& image) const {
    return key ? open_with_key_file(image, *key) : open_with_passphrase(image, bytes_of("x"));
  }
  [[nodiscard]] Result<Secret> open() const { return open(image()); }
};

Sealed with_passphrase() {
  Sealed sealed;
  EXPECT_TRUE(sealed.seal.add_passphrase(bytes_of("x"), kCheap));
  sealed.draw();
  return sealed;
}

Sealed with_key_pair() {
  Sealed sealed;
  EXPECT_TRUE(sealed.seal.add_key_file(KeyFile::generate(bytes_of("x"), kCheap).value()));
  sealed.draw();
  return sealed;
}

Sealed with_key_file() {
  Sealed sealed;
  sealed.key = make_raw_key(Bytes(32, std::byte{7}));
  EXPECT_TRUE(sealed.seal.add_key_file(*sealed.key));
  sealed.draw();
  return sealed;
}

constexpr std::array kMakers{with_passphrase, with_key_pair, with_key_file};

TEST(KeyBinding, AnotherImageOrCipherOpensNothing) {
  for (const auto make : kMakers) {
    const Sealed sealed = make();
    ASSERT_TRUE(sealed.open());
    std::array<std::byte, 16> id = kImageId;
    id[15] ^= std::byte{1};
    SealedImage other = sealed.image();
    other.image_id = id;
    EXPECT_EQ(sealed.open(other).error().code, Errc::kWrongKey);
    other = sealed.image();
    other.cipher = Cipher::kAes256Gcm;
    EXPECT_EQ(sealed.open(other).error().code, Errc::kWrongKey);
  }
}

/// Within the limits, so that a reader pays it; here it would only take time.
bool is_expensive(const PassphraseCost& cost) {
  return is_payable(cost) && cost.memory_kib > 1024;
}

TEST(KeyBinding, NoBitOfASlotCanBeChanged) {
  for (const auto make : kMakers) {
    Sealed sealed = make();
    KeySlot& slot = sealed.slots[0];
    const auto bytes = std::as_writable_bytes(std::span(&slot, 1));
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      if (!is_expensive(cost_of(slot))) {
        EXPECT_FALSE(sealed.open()) << "way " << unsigned{slot.way} << ", bit " << bit;
      }
      bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    }
    EXPECT_TRUE(sealed.open());
  }
}

/// Into one slot what another slot of the same way, for another image, has there: each bit of `parts` is one
/// of the four fields that are drawn for each image.
void take_parts(KeySlot& slot, const KeySlot& other, unsigned parts) {
  if ((parts & 1U) != 0) slot.wrapped_key = other.wrapped_key;
  if ((parts & 2U) != 0) slot.wrap_tag = other.wrap_tag;
  if ((parts & 4U) != 0) slot.ephemeral_public = other.ephemeral_public;
  if ((parts & 8U) != 0) slot.wrap_nonce = other.wrap_nonce;
}

TEST(KeyBinding, PartsOfTheSlotsOfTwoImagesCannotBeExchanged) {
  constexpr unsigned kAllParts = 15;
  constexpr std::array<std::byte, 16> kOtherId{std::byte{9}};
  for (const auto make : kMakers) {
    Sealed sealed = make();
    const KeySlot first = sealed.slots[0];
    sealed.draw(kOtherId);
    const KeySlot second = sealed.slots[0];
    for (unsigned parts = 1; parts <= kAllParts; ++parts) {
      sealed.slots[0] = first;
      take_parts(sealed.slots[0], second, parts);
      const auto opened = sealed.open();
      ASSERT_FALSE(opened) << "way " << unsigned{first.way} << ", parts " << parts;
      EXPECT_EQ(opened.error().code, Errc::kWrongKey);
    }
    // Now it is the second slot to the byte, and it was the image that it did not go with.
    SealedImage other = sealed.image();
    other.image_id = kOtherId;
    EXPECT_TRUE(sealed.open(other));
    sealed.slots[0] = first;
    EXPECT_TRUE(sealed.open());
  }
}

TEST(KeyBinding, AnEphemeralKeyOfLowOrderOpensNothing) {
  for (const auto make : kMakers) {
    Sealed sealed = make();
    sealed.slots[0].ephemeral_public = {};
    EXPECT_EQ(sealed.open().error().code, Errc::kWrongKey);
  }
}

// The same once more, step by step and with places as numbers, from the text of FORMAT.md.

std::array<std::byte, 32> hkdf(std::span<const std::byte> material, std::span<const std::byte> salt,
                               std::span<const std::byte> info) {
  auto hmac = HmacSha256::prepare().value();
  std::array<std::byte, 32> key{};
  EXPECT_TRUE(hkdf_sha256(hmac, material, salt, info, key));
  return key;
}

std::array<std::byte, 32> unseal(std::span<const std::byte, 32> key, std::span<const std::byte> nonce,
                                 std::span<const std::byte> associated, std::span<const std::byte> sealed,
                                 std::span<const std::byte> tag) {
  auto aead = Aead::prepare(Cipher::kChaCha20Poly1305).value();
  Nonce nonce_bytes{};
  Tag tag_bytes{};
  std::ranges::copy(nonce, nonce_bytes.begin());
  std::ranges::copy(tag, tag_bytes.begin());
  std::array<std::byte, 32> opened{};
  EXPECT_TRUE(aead.set_key(key));
  EXPECT_TRUE(aead.open(nonce_bytes, associated, sealed, opened, tag_bytes));
  return opened;
}

/// The data key, from the private half that opens the slot on.
std::string data_key_by_hand(std::span<const std::byte> slot, std::span<const std::byte, 32> private_half) {
  PublicKey ephemeral_public{};
  std::ranges::copy(slot.subspan(96, 32), ephemeral_public.begin());
  std::array<std::byte, 32> shared{};
  EXPECT_TRUE(x25519_shared(private_half, ephemeral_public, shared));
  const auto slot_key = hkdf(shared, cat({ephemeral_public, x25519_public(private_half).value()}),
                             bytes_of("dormouse slot key"));
  Bytes blanked(slot.begin(), slot.end());
  std::fill_n(blanked.begin() + 48, 48, std::byte{0});  // wrapped_key, wrap_tag
  const std::byte cipher{2};
  const Bytes associated = cat({bytes_of("dormouse image key"), kImageId, {&cipher, 1}, blanked});
  const auto image_key =
      unseal(slot_key, slot.subspan(32, 12), associated, slot.subspan(48, 32), slot.subspan(80, 16));
  return to_hex(hkdf(image_key, kImageId, cat({bytes_of("dormouse image data"), {&cipher, 1}})));
}

TEST(KeyBinding, APassphraseSlotIsAsTheFormatSays) {
  const Sealed sealed = with_passphrase();
  const auto slot = std::as_bytes(std::span(sealed.slots)).first(256);
  EXPECT_EQ(slot[0], std::byte{1});
  EXPECT_EQ(to_hex(slot.subspan(4, 12)), "080000000100000001000000");
  std::array<std::byte, 32> key{};
  ASSERT_TRUE(argon2id(bytes_of("x"), slot.subspan(16, 16), kCheap, key));
  EXPECT_EQ(data_key_by_hand(slot, key), to_hex(sealed.seal.data_key()));
}

TEST(KeyBinding, AKeyFileSlotIsAsTheFormatSays) {
  const Sealed sealed = with_key_file();
  const auto slot = std::as_bytes(std::span(sealed.slots)).first(256);
  EXPECT_EQ(slot[0], std::byte{3});
  EXPECT_EQ(to_hex(slot.subspan(4, 12)), "000000000000000000000000");
  const auto key = hkdf(Bytes(32, std::byte{7}), slot.subspan(16, 16), bytes_of("dormouse key file"));
  EXPECT_EQ(data_key_by_hand(slot, key), to_hex(sealed.seal.data_key()));
}

TEST(KeyBinding, AKeyPairSlotIsAsTheFormatSays) {
  const Sealed sealed = with_key_pair();
  const auto slot = std::as_bytes(std::span(sealed.slots)).first(256);
  EXPECT_EQ(slot[0], std::byte{2});
  const auto public_key = slot.subspan(128, 32);
  std::array<std::byte, 32> passphrase_key{};
  ASSERT_TRUE(argon2id(bytes_of("x"), slot.subspan(16, 16), kCheap, passphrase_key));
  const auto private_half =
      unseal(passphrase_key, slot.subspan(160, 12), cat({bytes_of("dormouse private key"), public_key}),
             slot.subspan(176, 32), slot.subspan(208, 16));
  EXPECT_EQ(to_hex(x25519_public(private_half).value()), to_hex(public_key));
  EXPECT_EQ(data_key_by_hand(slot, private_half), to_hex(sealed.seal.data_key()));
}

}  // namespace
}  // namespace dormouse::test
