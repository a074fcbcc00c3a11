#include "seal/x25519.h"

#include <gtest/gtest.h>

#include "seal/bytes.h"

namespace dormouse::test {
namespace {

using Key = std::array<std::byte, 32>;

std::string shared(std::string_view private_half, std::string_view public_half) {
  Key result{};
  const auto r = x25519_shared(unhex_array<32>(private_half), unhex_array<32>(public_half), result);
  return r ? to_hex(result) : r.error().what();
}

// RFC 7748, section 5.2. The second point has its highest bit set, which counts for nothing.
TEST(X25519, GivesThePublishedResults) {
  EXPECT_EQ(shared("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
                   "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"),
            "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552");
  EXPECT_EQ(shared("4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
                   "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493"),
            "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957");
}

// The same section: what comes of the base point after so many rounds.
TEST(X25519, GivesThePublishedResultOfAThousandRounds) {
  Key scalar{};
  scalar[0] = std::byte{9};
  Key point = scalar;
  for (int round = 1; round <= 1000; ++round) {
    Key result{};
    ASSERT_TRUE(x25519_shared(scalar, point, result));
    point = scalar;
    scalar = result;
    if (round == 1) {
      EXPECT_EQ(to_hex(scalar), "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079");
    }
  }
  EXPECT_EQ(to_hex(scalar), "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51");
}

// RFC 7748, section 6.1.
TEST(X25519, LetsTwoAgree) {
  constexpr std::string_view kAlice = "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a";
  constexpr std::string_view kBob = "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb";
  const auto alice = x25519_public(unhex_array<32>(kAlice));
  const auto bob = x25519_public(unhex_array<32>(kBob));
  ASSERT_TRUE(alice && bob);
  EXPECT_EQ(to_hex(*alice), "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a");
  EXPECT_EQ(to_hex(*bob), "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
  constexpr std::string_view kShared = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742";
  EXPECT_EQ(shared(kAlice, to_hex(*bob)), kShared);
  EXPECT_EQ(shared(kBob, to_hex(*alice)), kShared);
}

// Points of order 1, 2, 4 and 8 on the curve and its twist, and their spellings above the prime (D. J.
// Bernstein, "Curve25519", https://cr.yp.to/ecdh.html#validate): with each of them the shared secret is zero
// for every private half. The highest bit counts for nothing.
TEST(X25519, RefusesPointsOfLowOrder) {
  constexpr std::array kPoints = {
      "0000000000000000000000000000000000000000000000000000000000000000",
      "0100000000000000000000000000000000000000000000000000000000000000",
      "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
      "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  };
  const Key scalar = unhex_array<32>("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4");
  for (const std::string_view point : kPoints) {
    for (const auto highest_bit : {std::byte{0}, std::byte{0x80}}) {
      Key public_half = unhex_array<32>(point);
      public_half.back() |= highest_bit;
      Key result{};
      const auto r = x25519_shared(scalar, public_half, result);
      ASSERT_FALSE(r) << point;
      EXPECT_EQ(r.error().code, Errc::kCorrupt) << point;
    }
  }
}

}  // namespace
}  // namespace dormouse::test
