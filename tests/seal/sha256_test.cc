#include "seal/sha256.h"

#include <gtest/gtest.h>

#include "seal/bytes.h"
#include "support/allocation_counter.h"

namespace dormouse::test {
namespace {

std::string hash_of(std::string_view text) {
  auto hash = Sha256::prepare().value();
  hash.update(bytes_of(text));
  return to_hex(hash.value());
}

// NIST, "Examples with Intermediate Values" for FIPS 180-4: SHA-256 of one block and of two; the third is
// that of FIPS 180-2, appendix B.3; the empty text from NIST CAVP, SHA256ShortMsg.rsp, Len = 0.
TEST(Sha256, GivesThePublishedResults) {
  EXPECT_EQ(hash_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash_of(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(hash_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, RunsOverPiecesAndBeginsAnewWithoutAllocating) {
  auto hash = Sha256::prepare().value();
  const std::string text(4096, 'x');
  const std::string expected = hash_of(text + text + text);
  Sha256Digest first{};
  Sha256Digest second{};
  {
    const AllocationCounter allocations;
    for (int i = 0; i < 3; ++i) hash.update(bytes_of(text));
    first = hash.value();
    hash.reset();
    for (int i = 0; i < 3; ++i) hash.update(bytes_of(text));
    second = hash.value();
    EXPECT_EQ(allocations.count(), 0U);
  }
  EXPECT_EQ(to_hex(first), expected);
  EXPECT_EQ(to_hex(second), expected);
}

}  // namespace
}  // namespace dormouse::test
