#include "base/little_endian.h"

#include <gtest/gtest.h>

#include <bit>

namespace dormouse::test {
namespace {

TEST(LittleEndian, LowestByteComesFirst) {
  EXPECT_EQ((std::bit_cast<std::array<std::uint8_t, 2>>(Le16{0x0102})), (std::array<std::uint8_t, 2>{2, 1}));
  EXPECT_EQ((std::bit_cast<std::array<std::uint8_t, 4>>(Le32{0x01020304})),
            (std::array<std::uint8_t, 4>{4, 3, 2, 1}));
  EXPECT_EQ((std::bit_cast<std::array<std::uint8_t, 8>>(Le64{0x0102030405060708})),
            (std::array<std::uint8_t, 8>{8, 7, 6, 5, 4, 3, 2, 1}));
}

TEST(LittleEndian, ComesBackAsItWas) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x8000000000000000}, ~std::uint64_t{0}}) {
    EXPECT_EQ(Le64{value}, value);
    EXPECT_EQ(Le32{static_cast<std::uint32_t>(value)}, static_cast<std::uint32_t>(value));
    EXPECT_EQ(Le16{static_cast<std::uint16_t>(value)}, static_cast<std::uint16_t>(value));
  }
  EXPECT_EQ(Le32{}, 0U);
}

TEST(LittleEndian, NeedsNoAlignment) {
  struct Record {
    char before;
    Le64 value;
  };
  static_assert(sizeof(Record) == 9);
  static_assert(alignof(Record) == 1);
}

}  // namespace
}  // namespace dormouse::test
