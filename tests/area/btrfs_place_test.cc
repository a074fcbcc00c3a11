/// From btrfs's own addresses to those of a device.
#include "area/btrfs_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kGib = std::uint64_t{1} << 30U;
constexpr std::uint64_t kData = 1;

const std::vector<BtrfsChunk> kChunks = {
    {.logical = kGib, .bytes = kGib, .type = kData, .stripes = 1, .device_id = 1, .physical = 4096},
    {.logical = 2 * kGib,
     .bytes = kGib,
     .type = kData,
     .stripes = 1,
     .device_id = 3,
     .physical = 9000 * kGib},
};

Result<BtrfsStretch> find(std::uint64_t logical, std::uint64_t bytes,
                          const std::vector<BtrfsChunk>& chunks = kChunks) {
  return find_btrfs_stretch(chunks, {.file_at = 12288, .logical = logical, .bytes = bytes}, "/swap");
}

TEST(BtrfsPlace, IsAsFarIntoTheStripeAsTheAddressIsIntoTheChunk) {
  const auto stretch = find(kGib + 8192, 65536);
  ASSERT_TRUE(stretch) << stretch.error().what();
  EXPECT_EQ(stretch->device_id, 1U);
  EXPECT_EQ(stretch->physical, 4096U + 8192U);
  EXPECT_EQ(stretch->bytes, 65536U);
}

TEST(BtrfsPlace, EndsWithTheChunk) {
  const auto first = find(2 * kGib - 4096, 65536);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->device_id, 1U);
  EXPECT_EQ(first->bytes, 4096U);
  const auto second = find(2 * kGib, 61440);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->device_id, 3U);
  EXPECT_EQ(second->physical, 9000 * kGib);
}

TEST(BtrfsPlace, RefusesAnAddressInNoChunk) {
  for (const std::uint64_t logical : {std::uint64_t{0}, kGib - 1, 3 * kGib, std::uint64_t{1} << 63U}) {
    const auto stretch = find(logical, 4096);
    ASSERT_FALSE(stretch) << logical;
    EXPECT_EQ(stretch.error().code, Errc::kIo);
    EXPECT_EQ(stretch.error().offset, 12288U);
    EXPECT_THAT(stretch.error().what(), HasSubstr("no chunk there"));
  }
}

TEST(BtrfsPlace, RefusesEveryProfileButSingle) {
  // RAID0, RAID1, DUP, RAID10, RAID5, RAID6, RAID1C3, RAID1C4.
  for (unsigned bit = 3; bit <= 10; ++bit) {
    auto chunks = kChunks;
    chunks[0].type |= std::uint64_t{1} << bit;
    const auto stretch = find(kGib, 4096, chunks);
    ASSERT_FALSE(stretch) << "bit " << bit;
    EXPECT_EQ(stretch.error().code, Errc::kImpossible);
    EXPECT_THAT(stretch.error().what(), HasSubstr("-dconvert=single"));
  }
  auto chunks = kChunks;
  chunks[0].stripes = 2;
  EXPECT_FALSE(find(kGib, 4096, chunks));
}

}  // namespace
}  // namespace dormouse::test
