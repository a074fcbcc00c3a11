/// What the data key seals: every bit of a chunk, of what is authenticated with it, and of the header.
#include "image/seal_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "image/seal_bed.h"
#include "support/page_patterns.h"

namespace dormouse::test {
namespace {

Aead make_aead(Cipher cipher, std::uint8_t key) {
  auto aead = must(Aead::prepare(cipher));
  std::array<std::byte, kKeyBytes> bytes;
  bytes.fill(std::byte{key});
  must(aead.set_key(bytes));
  return aead;
}

class SealedRecords : public ::testing::TestWithParam<Cipher> {
 protected:
  SealedRecords() {
    id_.fill(std::byte{0x77});
    header_.codec = 2;
    header_.number = 5;
    header_.first_page = 80;
    header_.pages = 16;
    header_.packed_bytes = 500;
    header_.extent_count = 3;
    plain_.resize(512);  // every bit of it is flipped
    sealed_ = plain_;
    must(seal_chunk(aead_, id_, header_, sealed_));
  }
  /// Must not open, and must show nothing.
  void expect_refused(const ImageId& id, const ChunkHeader& header, std::vector<std::byte> stored) {
    const auto opened = open_chunk(aead_, id, header, stored);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Errc::kCorrupt);
    EXPECT_TRUE(std::ranges::all_of(stored, [](std::byte b) { return b == std::byte{0}; }));
  }

  Aead aead_ = make_aead(GetParam(), 1);
  ImageId id_;
  ChunkHeader header_;
  std::vector<std::byte> plain_ = make_pattern(PagePattern::kText, 4, 4096);
  std::vector<std::byte> sealed_;
};

TEST_P(SealedRecords, AChunkComesBack) {
  EXPECT_FALSE(std::ranges::equal(sealed_, plain_));
  EXPECT_EQ(header_.packed_bytes, 500U);
  header_.extent_count = 7;  // is the swap map's business
  must(open_chunk(aead_, id_, header_, sealed_));
  EXPECT_TRUE(std::ranges::equal(sealed_, plain_));
}

TEST_P(SealedRecords, EveryBitOfAChunkIsRefused) {
  for (std::size_t bit = 0; bit < 8 * sealed_.size(); ++bit) {
    auto damaged = sealed_;
    damaged[bit / 8] ^= std::byte{1} << (bit % 8);
    expect_refused(id_, header_, damaged);
    ASSERT_FALSE(HasFailure()) << "bit " << bit;
  }
}

TEST_P(SealedRecords, EveryBitOfItsHeaderButTheExtentsIsRefused) {
  for (std::size_t bit = 0; bit < 8 * sizeof header_; ++bit) {
    if (bit / 8 == 2 || bit / 8 == 3) continue;
    ChunkHeader damaged = header_;
    std::as_writable_bytes(std::span(&damaged, 1))[bit / 8] ^= std::byte{1} << (bit % 8);
    expect_refused(id_, damaged, sealed_);
    ASSERT_FALSE(HasFailure()) << "bit " << bit;
  }
}

TEST_P(SealedRecords, EveryBitOfTheImageIdIsRefused) {
  for (std::size_t bit = 0; bit < 8 * id_.size(); ++bit) {
    ImageId damaged = id_;
    damaged[bit / 8] ^= std::byte{1} << (bit % 8);
    expect_refused(damaged, header_, sealed_);
    ASSERT_FALSE(HasFailure()) << "bit " << bit;
  }
}

TEST_P(SealedRecords, AnotherLengthOrAnotherKeyIsRefused) {
  expect_refused(id_, header_, {sealed_.begin(), sealed_.end() - 1});
  auto longer = sealed_;
  longer.push_back(std::byte{0});
  expect_refused(id_, header_, longer);
  expect_refused(id_, header_, {});
  aead_ = make_aead(GetParam(), 2);
  expect_refused(id_, header_, sealed_);
}

TEST_P(SealedRecords, EveryBitOfTheImageHeaderIsRefused) {
  ImageHeader header;
  header.features_required = kFeatureSealed;
  header.image_pages = 1000;
  header.slots[0].way = 3;
  must(seal_header(aead_, header));
  EXPECT_TRUE(check_sealed_header(aead_, header));
  for (std::size_t bit = 0; bit < 8 * sizeof header; ++bit) {
    ImageHeader damaged = header;
    std::as_writable_bytes(std::span(&damaged, 1))[bit / 8] ^= std::byte{1} << (bit % 8);
    // The checksum is made last.
    ASSERT_EQ(check_sealed_header(aead_, damaged).has_value(), bit / 8 >= offsetof(ImageHeader, checksum))
        << "bit " << bit;
  }
}

/// A chunk of the number 0 and the header have nonces of their own.
TEST_P(SealedRecords, AHeaderIsNoEmptyChunk) {
  EXPECT_NE(make_nonce(NonceUse::kHeader, 0), make_nonce(NonceUse::kChunk, 0));
  EXPECT_NE(make_nonce(NonceUse::kChunk, 1), make_nonce(NonceUse::kChunk, std::uint64_t{1} << 32));
}

INSTANTIATE_TEST_SUITE_P(Ciphers, SealedRecords, ::testing::ValuesIn(kCiphers), [](const auto& cipher) {
  std::string name(cipher_name(cipher.param));
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace dormouse::test
