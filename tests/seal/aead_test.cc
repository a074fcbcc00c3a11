#include "seal/aead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "seal/bytes.h"
#include "support/allocation_counter.h"

namespace dormouse::test {
namespace {

constexpr std::array kAll = {Cipher::kAes256Gcm, Cipher::kAes256Ocb, Cipher::kChaCha20Poly1305};

struct Vector {
  std::string_view source;
  Cipher cipher;
  std::string_view key;
  std::string_view nonce;
  std::string_view associated;
  std::string_view plain;
  std::string_view sealed;
  std::string_view tag;
};

constexpr std::array kVectors = std::to_array<Vector>({
    {.source = "McGrew and Viega, The Galois/Counter Mode of Operation (submission to NIST), test case 13",
     .cipher = Cipher::kAes256Gcm,
     .key = "0000000000000000000000000000000000000000000000000000000000000000",
     .nonce = "000000000000000000000000",
     .associated = "",
     .plain = "",
     .sealed = "",
     .tag = "530f8afbc74536b9a963b4f1c4cb738b"},
    {.source = "the same, test case 14",
     .cipher = Cipher::kAes256Gcm,
     .key = "0000000000000000000000000000000000000000000000000000000000000000",
     .nonce = "000000000000000000000000",
     .associated = "",
     .plain = "00000000000000000000000000000000",
     .sealed = "cea7403d4d606b6e074ec5d3baf39d18",
     .tag = "d0d1c8a799996bf0265b98b5d48ab919"},
    {.source = "the same, test case 15",
     .cipher = Cipher::kAes256Gcm,
     .key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
     .nonce = "cafebabefacedbaddecaf888",
     .associated = "",
     .plain = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
              "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
     .sealed = "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
               "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
     .tag = "b094dac5d93471bdec1a502270e3cc6c"},
    {.source = "the same, test case 16",
     .cipher = Cipher::kAes256Gcm,
     .key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
     .nonce = "cafebabefacedbaddecaf888",
     .associated = "feedfacedeadbeeffeedfacedeadbeefabaddad2",
     .plain = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
              "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
     .sealed = "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
               "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
     .tag = "76fc6ece0f4e1768cddf8853bb2d551b"},
    {.source = "NIST CAVP, gcmEncryptExtIV256.rsp, PTlen 128, AADlen 128, count 0",
     .cipher = Cipher::kAes256Gcm,
     .key = "92e11dcdaa866f5ce790fd24501f92509aacf4cb8b1339d50c9c1240935dd08b",
     .nonce = "ac93a1a6145299bde902f21a",
     .associated = "1e0889016f67601c8ebea4943bc23ad6",
     .plain = "2d71bcfa914e4ac045b2aa60955fad24",
     .sealed = "8995ae2e6df3dbf96fac7b7137bae67f",
     .tag = "eca5aa77d51d4a0a14d9c51e1da474ab"},
    {.source = "RFC 8439, section 2.8.2",
     .cipher = Cipher::kChaCha20Poly1305,
     .key = "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
     .nonce = "070000004041424344454647",
     .associated = "50515253c0c1c2c3c4c5c6c7",
     .plain = "4c616469657320616e642047656e746c656d656e206f662074686520636c6173"
              "73206f66202739393a204966204920636f756c64206f6666657220796f75206f"
              "6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73"
              "637265656e20776f756c642062652069742e",
     .sealed = "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6"
               "3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36"
               "92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
               "3ff4def08e4b7a9de576d26586cec64b6116",
     .tag = "1ae10b594f09e26a7e902ecbd0600691"},
});

TEST(Aead, GivesThePublishedResults) {
  for (const Vector& vector : kVectors) {
    SCOPED_TRACE(vector.source);
    auto aead = Aead::prepare(vector.cipher);
    ASSERT_TRUE(aead) << aead.error().what();
    ASSERT_TRUE(aead->set_key(unhex_array<32>(vector.key)));
    const auto nonce = unhex_array<12>(vector.nonce);
    const Bytes plain = unhex(vector.plain);
    Bytes text(plain.size());
    Tag tag{};
    ASSERT_TRUE(aead->seal(nonce, unhex(vector.associated), plain, text, tag));
    EXPECT_EQ(to_hex(text), vector.sealed);
    EXPECT_EQ(to_hex(tag), vector.tag);
    Bytes opened(plain.size());
    ASSERT_TRUE(aead->open(nonce, unhex(vector.associated), text, opened, tag));
    EXPECT_EQ(opened, plain);
  }
}

// RFC 7253, appendix A, whose samples have keys of 128 bits: the iterated test at its end, for
// AEAD_AES_256_OCB_TAGLEN128. It takes texts and associated data of 0 to 127 bytes.
TEST(Aead, GivesTheResultOfTheIteratedTestOfOcb) {
  auto aead = Aead::prepare(Cipher::kAes256Ocb);
  ASSERT_TRUE(aead);
  std::array<std::byte, 32> key{};
  key.back() = std::byte{128};
  ASSERT_TRUE(aead->set_key(key));
  Bytes all;
  unsigned number = 0;
  const auto nonce = [&number] {
    Nonce next{};
    ++number;
    next[10] = static_cast<std::byte>(number >> 8);
    next[11] = static_cast<std::byte>(number);
    return next;
  };
  const auto append = [&](const Bytes& associated, const Bytes& plain) {
    Bytes sealed(plain.size());
    Tag tag{};
    ASSERT_TRUE(aead->seal(nonce(), associated, plain, sealed, tag));
    all.insert(all.end(), sealed.begin(), sealed.end());
    all.insert(all.end(), tag.begin(), tag.end());
  };
  for (std::size_t i = 0; i < 128; ++i) {
    const Bytes zeros(i);
    append(zeros, zeros);
    append({}, zeros);
    append(zeros, {});
  }
  Tag tag{};
  ASSERT_TRUE(aead->seal(nonce(), all, {}, {}, tag));
  EXPECT_EQ(number, 385U);
  EXPECT_EQ(to_hex(tag), "d90eb8e9c977c88b79dd793d7ffa161c");
}

std::array<std::byte, 32> key_of(unsigned number) {
  std::array<std::byte, 32> key{};
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(number + i);
  return key;
}

Bytes counting(std::size_t bytes, unsigned start = 1) {
  Bytes text(bytes);
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<std::byte>(start + i * 7);
  return text;
}

class EveryCipher : public ::testing::TestWithParam<Cipher> {
 protected:
  EveryCipher() : aead_(Aead::prepare(GetParam()).value()) { EXPECT_TRUE(aead_.set_key(key_of(1))); }
  Aead aead_;
  const Nonce nonce_ = make_nonce(NonceUse::kChunk, 77);
};

TEST_P(EveryCipher, OpensWhatItSealedInPlaceAndElsewhere) {
  // Lengths around blocks, strides of several blocks, pages, and a chunk.
  for (const std::size_t bytes :
       {0UL, 1UL, 15UL, 16UL, 17UL, 127UL, 128UL, 129UL, 4095UL, 4096UL, 4097UL, 1UL << 20}) {
    const Bytes plain = counting(bytes);
    Bytes elsewhere(bytes);
    Tag tag{};
    ASSERT_TRUE(aead_.seal(nonce_, bytes_of("header"), plain, elsewhere, tag));
    Bytes in_place = plain;
    Tag same{};
    ASSERT_TRUE(aead_.seal(nonce_, bytes_of("header"), in_place, in_place, same));
    EXPECT_EQ(in_place, elsewhere);
    EXPECT_EQ(same, tag);
    EXPECT_TRUE(bytes < 16 || elsewhere != plain);

    Bytes opened(bytes);
    ASSERT_TRUE(aead_.open(nonce_, bytes_of("header"), elsewhere, opened, tag));
    EXPECT_EQ(opened, plain);
    ASSERT_TRUE(aead_.open(nonce_, bytes_of("header"), in_place, in_place, tag));
    EXPECT_EQ(in_place, plain);
  }
}

TEST_P(EveryCipher, RefusesEveryFlippedBitAndLeavesNothing) {
  const Bytes plain = counting(40);
  Bytes associated = counting(35, 9);
  Bytes sealed(plain.size());
  Tag tag{};
  Nonce nonce = nonce_;
  ASSERT_TRUE(aead_.seal(nonce, associated, plain, sealed, tag));
  const auto refused = [&](std::span<std::byte> part) {
    for (std::size_t bit = 0; bit < 8 * part.size(); ++bit) {
      part[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      Bytes opened(plain.size(), std::byte{0xaa});
      const auto r = aead_.open(nonce, associated, sealed, opened, tag);
      ASSERT_FALSE(r) << bit;
      EXPECT_EQ(r.error().code, Errc::kCorrupt);
      EXPECT_EQ(opened, Bytes(plain.size())) << "plain text of a forgery got out";
      part[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    }
  };
  refused(associated);
  refused(sealed);
  refused(tag);
  refused(nonce);
  // Nor anything left out or put in; and what is right still opens.
  Bytes opened(plain.size());
  EXPECT_FALSE(aead_.open(nonce, std::span(associated).first(34), sealed, opened, tag));
  EXPECT_FALSE(aead_.open(nonce, associated, std::span(sealed).first(39), std::span(opened).first(39), tag));
  ASSERT_TRUE(aead_.open(nonce, associated, sealed, opened, tag));
  EXPECT_EQ(opened, plain);
}

TEST_P(EveryCipher, OpensNothingWithAnotherKey) {
  const Bytes plain = counting(100);
  Bytes sealed(plain.size());
  Tag tag{};
  ASSERT_TRUE(aead_.seal(nonce_, {}, plain, sealed, tag));
  Bytes opened(plain.size());
  ASSERT_TRUE(aead_.set_key(key_of(2)));
  EXPECT_FALSE(aead_.open(nonce_, {}, sealed, opened, tag));
  aead_.forget();
  EXPECT_FALSE(aead_.open(nonce_, {}, sealed, opened, tag));
  ASSERT_TRUE(aead_.set_key(key_of(1)));
  EXPECT_TRUE(aead_.open(nonce_, {}, sealed, opened, tag));
}

TEST_P(EveryCipher, AllocatesNothingAfterItIsPrepared) {
  const Bytes plain = counting(70000);
  Bytes sealed(plain.size());
  const auto key = key_of(1);
  Tag tag{};
  const AllocationCounter allocations;
  bool done = aead_.set_key(key).has_value();
  done = done && aead_.seal(nonce_, plain, plain, sealed, tag);
  done = done && aead_.open(nonce_, plain, sealed, sealed, tag);
  tag[0] ^= std::byte{1};
  const bool forged = aead_.open(nonce_, plain, sealed, sealed, tag).has_value();
  aead_.forget();
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_TRUE(done);
  EXPECT_FALSE(forged);
}

TEST_P(EveryCipher, WorksOnSeveralThreadsWithAContextEach) {
  const Bytes plain = counting(50000);
  Bytes expected(plain.size());
  Tag expected_tag{};
  ASSERT_TRUE(aead_.seal(nonce_, {}, plain, expected, expected_tag));
  std::array<bool, 4> same{};
  {
    std::vector<std::jthread> threads;
    for (bool& mine : same) {
      threads.emplace_back([&] {
        auto aead = Aead::prepare(GetParam());
        Bytes sealed(plain.size());
        Tag tag{};
        mine = aead && aead->set_key(key_of(1)) && aead->seal(nonce_, {}, plain, sealed, tag) &&
               sealed == expected && tag == expected_tag;
      });
    }
  }
  EXPECT_TRUE(std::ranges::all_of(same, [](bool s) { return s; }));
}

TEST_P(EveryCipher, StatesItsMemory) {
  EXPECT_GT(aead_.memory_bytes(), 256U);
  EXPECT_LT(aead_.memory_bytes(), 32U << 10);
}

INSTANTIATE_TEST_SUITE_P(Aead, EveryCipher, ::testing::ValuesIn(kAll), [](const auto& test) {
  std::string name(cipher_name(test.param));
  std::erase(name, '-');
  return name;
});

TEST(Nonces, HoldUseAndNumberLittleEndian) {
  EXPECT_EQ(to_hex(make_nonce(NonceUse::kHeader, 0)), "010000000000000000000000");
  EXPECT_EQ(to_hex(make_nonce(NonceUse::kChunk, 0x0807060504030201)), "000000000102030405060708");
}

TEST(Ciphers, HaveNames) {
  for (const Cipher cipher : kAll) EXPECT_EQ(cipher_of(cipher_name(cipher)), cipher);
  EXPECT_EQ(cipher_name(Cipher::kAes256Ocb), "aes-256-ocb");
  EXPECT_EQ(cipher_of("blowfish"), std::nullopt);
}

TEST(Ciphers, OneIsTheFastest) {
  const auto cipher = fastest_cipher();
  ASSERT_TRUE(cipher) << cipher.error().what();
  EXPECT_NE(std::ranges::find(kAll, *cipher), kAll.end());
}

}  // namespace
}  // namespace dormouse::test
