#include <gmock/gmock.h>

#include "check/checks.h"
#include "check/finding_ids.h"
#include "check/sound_tree.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMiB = 1024 * 1024;

/// 800 MiB in use, 100 of it cache, 300 that could be swapped out.
MemoryFigures figures() {
  return {.total = 2000 * kMiB,
          .free = 1200 * kMiB,
          .available = 1300 * kMiB,
          .droppable = 100 * kMiB,
          .swappable = 300 * kMiB,
          .fixed = 0,
          .limit = 950 * kMiB};
}

class RoomChecks : public ::testing::Test {
 protected:
  RoomChecks() { tree_.settings.image_size = {.unit = ImageSize::Unit::kBytes, .value = 5000 * kMiB}; }

  CheckedRoom room(std::uint64_t free_mib, std::uint64_t elsewhere_mib = 0) {
    const AreaFacts area{.path = "/dev/vda2",
                         .active = true,
                         .size_bytes = 2000 * kMiB,
                         .free_bytes = free_mib * kMiB,
                         .free_elsewhere_bytes = elsewhere_mib * kMiB};
    return check_room({.settings = tree_.settings, .host = tree_.host, .page_bytes = 4096}, area, figures(),
                      0);
  }

  SoundTree tree_;
};

TEST_F(RoomChecks, WithoutASampleTheUsualRatioOfTheCodecCounts) {
  const auto automatic = room(2000).prediction;
  EXPECT_EQ(automatic.image_bytes, 800 * kMiB);
  EXPECT_EQ(automatic.sampled_bytes, 0U);
  EXPECT_GT(automatic.ratio, 0.4);
  EXPECT_LT(automatic.ratio, 0.6);
  tree_.settings.codec = {.automatic = false, .spec = {.id = CodecId::kZstd, .level = 3}};
  const auto zstd = room(2000).prediction;
  EXPECT_EQ(zstd.codec, "zstd:3");
  EXPECT_LT(zstd.ratio, automatic.ratio);
  tree_.settings.codec = {.automatic = false, .spec = {.id = CodecId::kStored, .level = 0}};
  const auto stored = room(2000).prediction;
  EXPECT_EQ(stored.codec, "none");
  EXPECT_EQ(stored.ratio, 1.0);
  EXPECT_GE(stored.stored_bytes, stored.image_bytes);
}

TEST_F(RoomChecks, TheSampleCounts) {
  const double usual = room(400).prediction.ratio;
  tree_.process_memory(1, std::string(4 * kMiB, '\0'));
  const auto checked = room(400);
  EXPECT_EQ(checked.findings[0].id, finding::kRoom);
  EXPECT_THAT(checked.findings[0].what, HasSubstr("of this machine's memory"));
  EXPECT_THAT(checked.findings[0].what, HasSubstr("it fits because it is packed"));
  // Of the memory that is like the sample, 300 of 800 MiB, nearly nothing is left.
  EXPECT_NEAR(checked.prediction.ratio, usual * 5 / 8, 0.01);
}

TEST_F(RoomChecks, WhatIsSwappedOutTakesItsShareOfTheRoom) {
  tree_.settings.image_size.value = 400 * kMiB;
  const auto alone = room(1000);
  EXPECT_EQ(alone.prediction.image_bytes, 400 * kMiB);
  EXPECT_EQ(alone.prediction.swapped_out_bytes, 300 * kMiB);
  EXPECT_THAT(alone.findings[0].what,
              HasSubstr("734003200 bytes are free for it after 314572800 have been swapped out"));
  const auto beside = room(1000, 300);
  EXPECT_THAT(beside.findings[0].what, HasSubstr("1048576000 bytes are free for it"));
}

TEST_F(RoomChecks, SaysHowMuchIsMissing) {
  const auto checked = room(50);
  ASSERT_EQ(checked.findings[0].id, finding::kTooSmall);
  const std::uint64_t missing = checked.prediction.least_bytes - 50 * kMiB;
  EXPECT_THAT(checked.findings[0].remedy, HasSubstr(std::to_string(missing)));
}

TEST(MemoryChecks, SwapIsAdvisedOnlyWhereItHelps) {
  auto memory = figures();
  memory.limit = 500 * kMiB;
  // 700 MiB cannot be dropped, and 300 of them could be swapped out.
  EXPECT_EQ(check_memory(memory, 300 * kMiB, 0)[0].id, finding::kMemory);
  const auto without_swap = check_memory(memory, 0, 0);
  ASSERT_EQ(without_swap[0].id, finding::kTooMuchInUse);
  EXPECT_EQ(without_swap[0].remedy, "end programs that use 209715200 bytes, or add as much swap");
  memory.limit = 300 * kMiB;
  EXPECT_EQ(check_memory(memory, 300 * kMiB, 0)[0].remedy, "end programs that use 104857600 bytes");
}

}  // namespace
}  // namespace dormouse::test
