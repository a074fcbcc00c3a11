#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "dormouse/sealing.h"

#include "seal/sealed.h"
#include "support/allocation_counter.h"

namespace dormouse::test {
namespace {

class ImageSeals : public ::testing::Test {
 protected:
  ImageSeal seal_ = ImageSeal::prepare(Cipher::kAes256Gcm).value();

  /// The data key, or the error's name.
  static std::string outcome(const Result<Secret>& opened) {
    if (opened) return to_hex(opened->span());
    switch (opened.error().code) {
      case Errc::kWrongKey:
        return "wrong key";
      case Errc::kUsage:
        return "usage";
      default:
        return opened.error().what();
    }
  }
  std::string by_passphrase(std::string_view passphrase) {
    const Slots slots = slots_of(seal_);
    return outcome(open_with_passphrase(image_of(slots, seal_.ways()), bytes_of(passphrase)));
  }
  std::string by_key(const KeyFile& key) {
    const Slots slots = slots_of(seal_);
    return outcome(open_with_key_file(image_of(slots, seal_.ways()), key));
  }
  std::string data_key() { return to_hex(key_of(seal_)); }
};

TEST_F(ImageSeals, ThePassphraseOpensAndNoOther) {
  ASSERT_TRUE(seal_.add_passphrase(bytes_of("correct horse"), kCheap));
  ASSERT_TRUE(seal_.draw(kImageId));
  EXPECT_EQ(by_passphrase("correct horse"), data_key());
  for (const auto* wrong : {"correct hors", "correct horse ", "Correct horse", "x"})
    EXPECT_EQ(by_passphrase(wrong), "wrong key") << wrong;
  EXPECT_EQ(by_passphrase(""), "usage");
  EXPECT_EQ(by_key(make_raw_key(Bytes(32, std::byte{5}))), "wrong key");
  const Slots slots = slots_of(seal_);
  EXPECT_TRUE(takes_passphrase(slots));
  EXPECT_FALSE(takes_key_file(slots));
}

TEST_F(ImageSeals, PassphrasesAreBytesOfAnyKind) {
  const std::string all_bytes = [] {
    std::string text;
    for (int i = 0; i < 256; ++i) text += static_cast<char>(i);
    return text + text;
  }();
  ASSERT_EQ(all_bytes.size(), kMaxPassphraseBytes);
  ASSERT_TRUE(seal_.add_passphrase(bytes_of(all_bytes), kCheap));
  ASSERT_TRUE(seal_.draw(kImageId));
  EXPECT_EQ(by_passphrase(all_bytes), data_key());
  EXPECT_EQ(by_passphrase(all_bytes.substr(0, 511)), "wrong key");
  const auto longer = seal_.add_passphrase(bytes_of(all_bytes + "x"), kCheap);
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().code, Errc::kUsage);
  EXPECT_EQ(seal_.ways(), 1U);
}

TEST_F(ImageSeals, TheKeyFileOpensAndNoOther) {
  // Zeros in front and behind are part of a key like any other bytes.
  for (const Bytes& raw : {unhex("0000000000000000000000000000000000000000000000000000000000000001"),
                           unhex("0100000000000000000000000000000000000000000000000000000000000000"),
                           unhex("00000000ffffffffffffffffffffffffffffffffffffffffffffffffffffffff")}) {
    auto seal = ImageSeal::prepare(Cipher::kChaCha20Poly1305).value();
    const KeyFile key = make_raw_key(raw);
    EXPECT_EQ(key.way(), KeyWay::kKeyFile);
    ASSERT_TRUE(seal.add_key_file(key));
    ASSERT_TRUE(seal.draw(kImageId));
    const Slots slots = slots_of(seal);
    const SealedImage image = image_of(slots, 1, Cipher::kChaCha20Poly1305);
    EXPECT_EQ(outcome(open_with_key_file(image, key)), to_hex(key_of(seal)));
    Bytes other = raw;
    other[16] ^= std::byte{1};
    EXPECT_EQ(outcome(open_with_key_file(image, make_raw_key(other))), "wrong key");
    EXPECT_EQ(outcome(open_with_passphrase(image, raw)), "wrong key");
    EXPECT_FALSE(takes_passphrase(slots));
    EXPECT_TRUE(takes_key_file(slots));
  }
}

TEST_F(ImageSeals, OfAKeyPairThePassphraseOpensAndTheFileIsNotNeeded) {
  const auto pair = KeyFile::generate(bytes_of("pair"), kCheap);
  ASSERT_TRUE(pair) << pair.error().what();
  ASSERT_TRUE(seal_.add_key_file(*pair));
  ASSERT_TRUE(seal_.draw(kImageId));
  EXPECT_EQ(by_passphrase("pair"), data_key());
  EXPECT_EQ(by_passphrase("pear"), "wrong key");
  EXPECT_EQ(by_key(*pair), "usage");
  EXPECT_TRUE(takes_passphrase(slots_of(seal_)));
}

TEST_F(ImageSeals, EachOfSeveralWaysOpens) {
  const KeyFile key = make_raw_key(Bytes(32, std::byte{5}));
  const KeyFile pair = KeyFile::generate(bytes_of("of the pair"), kCheap).value();
  ASSERT_TRUE(seal_.add_passphrase(bytes_of("first"), kCheap));
  ASSERT_TRUE(seal_.add_key_file(key));
  ASSERT_TRUE(seal_.add_key_file(pair));
  for (const auto* more : {"4", "5", "6", "7", "8"})
    ASSERT_TRUE(seal_.add_passphrase(bytes_of(more), kCheap));
  const auto ninth = seal_.add_passphrase(bytes_of("9"), kCheap);
  ASSERT_FALSE(ninth);
  EXPECT_EQ(ninth.error().code, Errc::kUsage);
  EXPECT_EQ(seal_.ways(), kMaxKeyWays);

  ASSERT_TRUE(seal_.draw(kImageId));
  for (const auto* passphrase : {"first", "of the pair", "4", "8"})
    EXPECT_EQ(by_passphrase(passphrase), data_key());
  EXPECT_EQ(by_key(key), data_key());
  EXPECT_EQ(by_passphrase("9"), "wrong key");
}

TEST_F(ImageSeals, ADamagedSlotDoesNotHideOneThatOpens) {
  ASSERT_TRUE(seal_.add_passphrase(bytes_of("x"), kCheap));
  ASSERT_TRUE(seal_.add_key_file(KeyFile::generate(bytes_of("x"), kCheap).value()));
  ASSERT_TRUE(seal_.add_passphrase(bytes_of("x"), kCheap));
  ASSERT_TRUE(seal_.draw(kImageId));
  Slots slots = slots_of(seal_);
  slots[0].memory_kib = 1;                        // cannot be paid
  slots[1].sealed_private[0] ^= std::byte{0x80};  // opens no more
  EXPECT_EQ(outcome(open_with_passphrase(image_of(slots, 3), bytes_of("x"))), data_key());
  // Where that one is missing, too, it is said that a slot could not be tried: the passphrase may well be
  // right.
  slots[2].wrap_tag[0] ^= std::byte{1};
  EXPECT_EQ(outcome(open_with_passphrase(image_of(slots, 3), bytes_of("x"))), "usage");
}

TEST_F(ImageSeals, NothingIsTheSameInTwoDraws) {
  ASSERT_TRUE(seal_.add_passphrase(bytes_of("a"), kCheap));
  ASSERT_TRUE(seal_.add_passphrase(bytes_of("a"), kCheap));
  std::set<std::string> keys;
  std::set<std::string> nonces;
  std::set<std::string> wrapped;
  constexpr std::size_t kDraws = 50;
  for (std::size_t i = 0; i < kDraws; ++i) {
    ASSERT_TRUE(seal_.draw(kImageId));
    keys.insert(data_key());
    const Slots slots = slots_of(seal_);
    for (std::size_t way = 0; way < 2; ++way) {
      nonces.insert(to_hex(slots[way].wrap_nonce));
      wrapped.insert(to_hex(slots[way].wrapped_key));
    }
    EXPECT_NE(to_hex(slots[0].salt), to_hex(slots[1].salt));
  }
  EXPECT_EQ(keys.size(), kDraws);
  EXPECT_EQ(nonces.size(), 2 * kDraws);
  EXPECT_EQ(wrapped.size(), 2 * kDraws);
  EXPECT_EQ(by_passphrase("a"), data_key());
}

TEST_F(ImageSeals, WithoutAWayNothingIsDrawn) {
  const auto drawn = seal_.draw(kImageId);
  ASSERT_FALSE(drawn);
  EXPECT_EQ(drawn.error().code, Errc::kUsage);
  EXPECT_FALSE(seal_.add_passphrase({}, kCheap));
  EXPECT_FALSE(seal_.add_passphrase(bytes_of("x"), {.memory_kib = 0, .passes = 0, .lanes = 0}));
  EXPECT_EQ(seal_.ways(), 0U);
}

TEST_F(ImageSeals, UnusedSlotsAreZero) {
  ASSERT_TRUE(seal_.add_passphrase(bytes_of("x"), kCheap));
  EXPECT_FALSE(seal_.add_passphrase({}, kCheap)) << "what failed half-way must leave nothing";
  ASSERT_TRUE(seal_.draw(kImageId));
  const Slots slots = slots_of(seal_);
  const auto bytes = std::as_bytes(std::span(slots)).subspan(sizeof(KeySlot));
  EXPECT_TRUE(std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; }));
}

TEST_F(ImageSeals, AfterTheSnapshotNothingIsAllocated) {
  ASSERT_TRUE(seal_.add_passphrase(bytes_of("x"), kCheap));
  ASSERT_TRUE(seal_.add_key_file(KeyFile::generate(bytes_of("x"), kCheap).value()));
  ASSERT_TRUE(seal_.add_key_file(make_raw_key(Bytes(32, std::byte{5}))));
  Slots slots{};
  bool drawn = false;
  {
    const AllocationCounter allocations;
    drawn = seal_.draw(kImageId).has_value();
    seal_.put_slots(std::as_writable_bytes(std::span(slots)));
    const bool key = std::ranges::any_of(seal_.data_key(), [](std::byte b) { return b != std::byte{0}; });
    seal_.wipe();
    EXPECT_EQ(allocations.count(), 0U);
    EXPECT_TRUE(key);
  }
  EXPECT_TRUE(drawn);
}

TEST_F(ImageSeals, WipedIsAsNew) {
  ASSERT_TRUE(seal_.add_passphrase(bytes_of("x"), kCheap));
  ASSERT_TRUE(seal_.draw(kImageId));
  const auto key = seal_.data_key();
  seal_.wipe();
  EXPECT_TRUE(std::ranges::all_of(key, [](std::byte b) { return b == std::byte{0}; }));
  EXPECT_EQ(seal_.ways(), 0U);
  const Slots slots = slots_of(seal_);
  EXPECT_TRUE(
      std::ranges::all_of(std::as_bytes(std::span(slots)), [](std::byte b) { return b == std::byte{0}; }));
  EXPECT_FALSE(seal_.draw(kImageId));
  ASSERT_TRUE(seal_.add_passphrase(bytes_of("y"), kCheap));
  ASSERT_TRUE(seal_.draw(kImageId));
  EXPECT_EQ(by_passphrase("y"), data_key());
}

}  // namespace
}  // namespace dormouse::test
