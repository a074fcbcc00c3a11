#include "cycle/save_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dormouse {
namespace {

using ::testing::HasSubstr;

constexpr CodecSpec kStored{.id = CodecId::kStored, .level = 0};
constexpr CodecSpec kLz4{.id = CodecId::kLz4, .level = 1};
constexpr CodecSpec kStrongest{.id = CodecId::kZstd, .level = 9};

const Error kFull = fail(Errc::kNoSpace, "find room for the image").error();
const Error kNoCopy = fail(Errc::kNoMemory, "SNAPSHOT_CREATE_IMAGE").os(ENOMEM).error();

std::optional<NextTry> after_shortage(const CodecSpec& codec, std::uint64_t needed, std::uint64_t free,
                                      std::uint64_t cap = 1'000'000'000) {
  return next_try({.codec = codec, .size_cap_bytes = cap}, kFull,
                  RoomShortage{.image_pages = 100'000, .needed_pages = needed, .free_pages = free}, 4096, 1);
}

TEST(SavePlan, TakesTheWeakestCodecThatShouldFit) {
  const auto next = after_shortage(kStored, 100'000, 60'000);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->plan.codec, (CodecSpec{.id = CodecId::kLz4, .level = 8}));
  EXPECT_EQ(next->plan.size_cap_bytes, 1'000'000'000U);
  EXPECT_FALSE(next->plan.foresee_shortage) << "the last try goes on to the end";
  EXPECT_THAT(next->reason.view(), HasSubstr("about 100000 pages are needed with none, 60000 are free"));
}

TEST(SavePlan, GoesToZstdWhereLittleIsMissing) {
  const auto next = after_shortage(kLz4, 50'000, 45'000);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->plan.codec, (CodecSpec{.id = CodecId::kZstd, .level = -1}));
  EXPECT_THAT(next->reason.view(), HasSubstr("zstd:-1, which should need about 43478"));
}

TEST(SavePlan, LevelsBetweenTwoRowsCountAsTheWeaker) {
  for (const std::int32_t level : {-7, -1, 1, 2, 5}) {
    const CodecSpec codec{.id = CodecId::kZstd, .level = level};
    const auto next = after_shortage(codec, 50'000, 49'000);
    ASSERT_TRUE(next) << level;
    EXPECT_EQ(next->plan.codec.id, CodecId::kZstd);
    EXPECT_GT(next->plan.codec.level, level);
  }
}

TEST(SavePlan, AsksForASmallerImageWhereNoCodecIsEnough) {
  const auto next = after_shortage(kLz4, 50'000, 20'000);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->plan.codec, kStrongest);
  EXPECT_LT(next->plan.size_cap_bytes, 100'000U * 4096);
  EXPECT_GT(next->plan.size_cap_bytes, 200'000'000U);
  EXPECT_THAT(next->reason.view(), HasSubstr("an image of at most"));
}

TEST(SavePlan, AMixThatWasTooWeakIsFollowedByWhatFits) {
  const SavePlan plan{.adaptive = true, .size_cap_bytes = 1'000'000'000};
  RoomShortage shortage{
      .image_pages = 100'000, .needed_pages = 50'000, .free_pages = 40'000, .usual_ratio = 0.5};
  const auto next = next_try(plan, kFull, shortage, 4096, 1);
  ASSERT_TRUE(next);
  EXPECT_FALSE(next->plan.adaptive);
  EXPECT_EQ(next->plan.codec, (CodecSpec{.id = CodecId::kZstd, .level = 1}));
  EXPECT_EQ(next->plan.size_cap_bytes, plan.size_cap_bytes);
  EXPECT_THAT(next->reason.view(), HasSubstr("about 50000 pages are needed with auto"));
  shortage.usual_ratio = 0.31;  // it was as strong as it can be
  const auto smaller = next_try(plan, kFull, shortage, 4096, 1);
  ASSERT_TRUE(smaller);
  EXPECT_LT(smaller->plan.size_cap_bytes, plan.size_cap_bytes);
  EXPECT_EQ(smaller->plan.codec, kStrongest);
}

TEST(SavePlan, NeverAsksForALargerImageThanBefore) {
  const auto next = after_shortage(kLz4, 50'000, 20'000, 4096);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->plan.size_cap_bytes, 0U);
}

TEST(SavePlan, GivesUpWhereNothingIsLeftToChange) {
  EXPECT_FALSE(after_shortage(kStrongest, 50'000, 20'000, 0));
}

TEST(SavePlan, TriesOnceMoreForRoomAndNotTwice) {
  const auto first = after_shortage(kStored, 100'000, 60'000);
  ASSERT_TRUE(first);
  EXPECT_FALSE(next_try(first->plan, kFull,
                        RoomShortage{.image_pages = 100'000, .needed_pages = 70'000, .free_pages = 60'000},
                        4096, 2));
}

TEST(SavePlan, WithoutAShortageOfTheAreaItIsAnotherMatter) {
  EXPECT_FALSE(next_try({.codec = kLz4}, kFull, std::nullopt, 4096, 1));
}

TEST(SavePlan, HalvesTheImageThenAsksForTheSmallest) {
  const SavePlan plan{.codec = kLz4, .size_cap_bytes = 8'000'000};
  const auto second = next_try(plan, kNoCopy, std::nullopt, 4096, 1);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->plan.size_cap_bytes, 4'000'000U);
  const auto third = next_try(second->plan, kNoCopy, std::nullopt, 4096, 2);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->plan.size_cap_bytes, 0U);
  EXPECT_FALSE(next_try(third->plan, kNoCopy, std::nullopt, 4096, 3));
}

TEST(SavePlan, OtherFailuresAreNotTriedAgain) {
  for (const Errc code : {Errc::kIo, Errc::kStopped, Errc::kBusy, Errc::kImpossible}) {
    EXPECT_FALSE(next_try({.codec = kLz4, .size_cap_bytes = 1}, fail(code, "SNAPSHOT_CREATE_IMAGE").error(),
                          std::nullopt, 4096, 1));
  }
  EXPECT_FALSE(next_try({.codec = kLz4, .size_cap_bytes = 1}, fail(Errc::kNoMemory, "lock memory").error(),
                        std::nullopt, 4096, 1));
}

}  // namespace
}  // namespace dormouse
