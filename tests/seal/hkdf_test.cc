#include <gtest/gtest.h>

#include "seal/bytes.h"
#include "seal/hmac_sha256.h"
#include "support/allocation_counter.h"

namespace dormouse::test {
namespace {

std::string hmac_of(std::span<const std::byte> key, std::span<const std::byte> text) {
  auto hmac = HmacSha256::prepare().value();
  EXPECT_TRUE(hmac.set_key(key));
  hmac.update(text);
  std::array<std::byte, 32> value{};
  hmac.value(value);
  return to_hex(value);
}

// RFC 4231, sections 4.2, 4.3, 4.4 and 4.5: HMAC-SHA-256 with keys of 20, 4, 20 and 25 bytes.
TEST(HmacSha256, GivesThePublishedResults) {
  EXPECT_EQ(hmac_of(Bytes(20, std::byte{0x0b}), bytes_of("Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac_of(bytes_of("Jefe"), bytes_of("what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac_of(Bytes(20, std::byte{0xaa}), Bytes(50, std::byte{0xdd})),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  EXPECT_EQ(hmac_of(unhex("0102030405060708090a0b0c0d0e0f10111213141516171819"), Bytes(50, std::byte{0xcd})),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
}

struct Derivation {
  std::string_view source;
  std::string_view key_material;
  std::string_view salt;
  std::string_view info;
  std::string_view result;
};

constexpr std::array kDerivations = std::to_array<Derivation>({
    {.source = "RFC 5869, A.1",
     .key_material = "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
     .salt = "000102030405060708090a0b0c",
     .info = "f0f1f2f3f4f5f6f7f8f9",
     .result = "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"},
    {.source = "RFC 5869, A.3: no salt, no info",
     .key_material = "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
     .salt = "",
     .info = "",
     .result = "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"},
});

// A.2 has a salt of 80 bytes, longer than any of ours, which HMAC would have to hash first; it is not taken
// here.
TEST(HkdfSha256, GivesThePublishedResults) {
  auto hmac = HmacSha256::prepare().value();
  for (const Derivation& one : kDerivations) {
    Bytes result(one.result.size() / 2);
    ASSERT_TRUE(hkdf_sha256(hmac, unhex(one.key_material), unhex(one.salt), unhex(one.info), result));
    EXPECT_EQ(to_hex(result), one.result) << one.source;
    // A shorter one, as all of ours are, is its beginning.
    Bytes shorter(32);
    ASSERT_TRUE(hkdf_sha256(hmac, unhex(one.key_material), unhex(one.salt), unhex(one.info), shorter));
    EXPECT_EQ(to_hex(shorter), one.result.substr(0, 64)) << one.source;
  }
}

TEST(HkdfSha256, AllocatesNothing) {
  auto hmac = HmacSha256::prepare().value();
  const Bytes key(32, std::byte{1});
  std::array<std::byte, 32> result{};
  const AllocationCounter allocations;
  const bool done = hkdf_sha256(hmac, key, key, key, result).has_value();
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace dormouse::test
