#include "base/aligned_buffer.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "dormouse/units.h"

namespace dormouse::test {
namespace {

TEST(AlignedBuffer, IsAlignedZeroedAndThere) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{3} << 20}) {
    auto buffer = AlignedBuffer::allocate(bytes);
    ASSERT_TRUE(buffer);
    EXPECT_EQ(buffer->size(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->data()) % kMinPageBytes, 0U);
    // Every page is in memory before it is looked at.
    std::vector<unsigned char> present(divide_up(bytes, kMinPageBytes));
    ASSERT_EQ(mincore(buffer->data(), bytes, present.data()), 0);
    EXPECT_TRUE(std::ranges::all_of(present, [](unsigned char p) { return (p & 1) != 0; }));
    EXPECT_TRUE(std::ranges::all_of(buffer->span(), [](std::byte b) { return b == std::byte{0}; }));
  }
}

TEST(AlignedBuffer, MovesAndEmptiesItsSource) {
  auto first = AlignedBuffer::allocate(4096).value();
  const std::byte* memory = first.data();
  AlignedBuffer second(std::move(first));
  EXPECT_EQ(second.data(), memory);
  AlignedBuffer third;
  third = std::move(second);
  EXPECT_EQ(third.data(), memory);
  EXPECT_EQ(third.size(), 4096U);
  third = AlignedBuffer();
  EXPECT_EQ(third.data(), nullptr);
  EXPECT_TRUE(third.span().empty());
}

TEST(AlignedBuffer, SaysHowMuchWasAskedForWhereThereIsNone) {
  const auto buffer = AlignedBuffer::allocate(std::size_t{1} << 60);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code, Errc::kNoMemory);
  EXPECT_NE(buffer.error().what().find("1152921504606846976"), std::string::npos);
}

}  // namespace
}  // namespace dormouse::test
