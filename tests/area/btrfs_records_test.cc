/// btrfs's answers, built by hand, cut short at every byte, and with every number bent.
#include "area/btrfs_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "area/btrfs_bytes.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

BtrfsItem item(std::uint64_t offset, const Bytes& data) {
  return {.object = 256, .offset = offset, .type = 0, .data = data};
}

TEST(BtrfsAnswer, IsSplitIntoItsItems) {
  Bytes answer = answer_item(257, 108, 0, Bytes(53, std::byte{1}));
  append(answer, answer_item(257, 108, 4096, Bytes(21, std::byte{2})));
  append(answer, answer_item(257, 108, kMax, {}));
  const auto items = decode_btrfs_answer(answer, 3);
  ASSERT_TRUE(items) << items.error().what();
  ASSERT_EQ(items->size(), 3U);
  EXPECT_EQ(items->at(0).object, 257U);
  EXPECT_EQ(items->at(0).type, 108U);
  EXPECT_EQ(items->at(0).data.size(), 53U);
  EXPECT_EQ(items->at(1).offset, 4096U);
  EXPECT_EQ(items->at(1).data.front(), std::byte{2});
  EXPECT_EQ(items->at(2).offset, kMax);
  EXPECT_TRUE(items->at(2).data.empty());
}

TEST(BtrfsAnswer, CutShortAnywhereIsRefused) {
  Bytes answer = answer_item(257, 108, 0, Bytes(53));
  append(answer, answer_item(257, 108, 4096, Bytes(53)));
  for (std::size_t size = 0; size < answer.size(); ++size) {
    const auto items = decode_btrfs_answer(std::span(answer).first(size), 2);
    ASSERT_FALSE(items) << "cut to " << size;
    EXPECT_EQ(items.error().code, Errc::kIo);
    EXPECT_THAT(items.error().what(), HasSubstr("read btrfs tree: item "));
  }
  EXPECT_TRUE(decode_btrfs_answer(answer, 2));
  EXPECT_TRUE(decode_btrfs_answer({}, 0));
}

TEST(BtrfsAnswer, ALengthOrACountThatIsTooLargeIsRefused) {
  Bytes answer = answer_item(257, 108, 0, Bytes(53));
  EXPECT_FALSE(decode_btrfs_answer(answer, 2));
  EXPECT_FALSE(decode_btrfs_answer(answer, 0xffffffff));
  for (const std::uint32_t length : {54U, 0x7fffffffU, 0xffffffffU}) {
    std::memcpy(answer.data() + 28, &length, sizeof length);
    EXPECT_FALSE(decode_btrfs_answer(answer, 1)) << length;
  }
}

TEST(BtrfsChunkItem, TellsWhereTheFirstStripeIs) {
  const Bytes data =
      chunk_bytes({.bytes = 1 << 30, .type = 1, .stripes = 1, .device = 2, .physical = 1 << 20});
  const auto chunk = decode_btrfs_chunk(item(std::uint64_t{5} << 40U, data));
  ASSERT_TRUE(chunk) << chunk.error().what();
  EXPECT_EQ(chunk->logical, std::uint64_t{5} << 40U);
  EXPECT_EQ(chunk->bytes, 1U << 30U);
  EXPECT_EQ(chunk->type, 1U);
  EXPECT_EQ(chunk->stripes, 1U);
  EXPECT_EQ(chunk->device_id, 2U);
  EXPECT_EQ(chunk->physical, 1U << 20U);
}

TEST(BtrfsChunkItem, WithoutAStripeOrTooShortIsRefused) {
  const Bytes data = chunk_bytes({});
  ASSERT_EQ(data.size(), 80U);
  for (std::size_t size = 0; size < data.size(); ++size) {
    EXPECT_FALSE(decode_btrfs_chunk(item(0, Bytes(data.begin(), data.begin() + static_cast<long>(size)))));
  }
  EXPECT_TRUE(decode_btrfs_chunk(item(0, data)));
  EXPECT_FALSE(decode_btrfs_chunk(item(0, chunk_bytes({.stripes = 0}))));
  EXPECT_FALSE(decode_btrfs_chunk(item(0, chunk_bytes({.bytes = 0}))));
  EXPECT_FALSE(decode_btrfs_chunk(item(kMax - 10, chunk_bytes({.bytes = 4096}))));
  EXPECT_FALSE(decode_btrfs_chunk(item(0, chunk_bytes({.bytes = 4096, .physical = kMax - 10}))));
}

TEST(BtrfsFileExtentItem, BeginsBehindItsInnerOffset) {
  for (const std::uint8_t type : {std::uint8_t{1}, std::uint8_t{2}}) {
    const Bytes data = file_extent_bytes({.type = type, .disk = 1 << 30, .inner = 8192, .bytes = 65536});
    const auto extent = decode_btrfs_file_extent(item(12288, data));
    ASSERT_TRUE(extent) << extent.error().what();
    EXPECT_EQ(extent->kind, BtrfsExtentKind::kPlaced);
    EXPECT_EQ(extent->file_at, 12288U);
    EXPECT_EQ(extent->logical, (1U << 30U) + 8192U);
    EXPECT_EQ(extent->bytes, 65536U);
  }
}

TEST(BtrfsFileExtentItem, TellsWhatHasNoPlace) {
  const auto kind = [](const Bytes& data) { return decode_btrfs_file_extent(item(0, data)).value().kind; };
  EXPECT_EQ(kind(file_extent_bytes({.disk = 0})), BtrfsExtentKind::kHole);
  EXPECT_EQ(kind(file_extent_bytes({.type = 0})), BtrfsExtentKind::kInline);
  EXPECT_EQ(kind(file_extent_bytes({.compression = 3})), BtrfsExtentKind::kEncoded);
  EXPECT_EQ(kind(file_extent_bytes({.encryption = 1})), BtrfsExtentKind::kEncoded);
  EXPECT_EQ(kind(file_extent_bytes({.other_encoding = 256})), BtrfsExtentKind::kEncoded);
}

TEST(BtrfsFileExtentItem, TooShortUnknownOrTooFarIsRefused) {
  const Bytes data = file_extent_bytes({});
  ASSERT_EQ(data.size(), 53U);
  for (std::size_t size = 0; size < data.size(); ++size) {
    const Bytes cut(data.begin(), data.begin() + static_cast<long>(size));
    EXPECT_FALSE(decode_btrfs_file_extent(item(0, cut))) << size;
  }
  const auto unknown = decode_btrfs_file_extent(item(0, file_extent_bytes({.type = 3})));
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().what(), HasSubstr("unknown type 3"));
  EXPECT_FALSE(decode_btrfs_file_extent(item(0, file_extent_bytes({.disk = kMax, .inner = 1}))));
  EXPECT_FALSE(decode_btrfs_file_extent(item(0, file_extent_bytes({.disk = kMax - 5, .inner = 1}))));
}

}  // namespace
}  // namespace dormouse::test
