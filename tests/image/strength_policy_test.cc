#include "image/strength_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>

#include "image/pipeline_model.h"

namespace dormouse {
namespace {

using test::PipelineModel;

constexpr std::size_t kSlots = 18;

StrengthPolicy policy_for_two() {
  return {kSlots, 2, 3};
}

TEST(StrengthPolicy, StoresWhileTheDeviceIsHungry) {
  auto policy = policy_for_two();
  for (std::size_t waiting = 0; waiting <= 3; ++waiting) EXPECT_EQ(policy.choose(waiting), 0U);
}

TEST(StrengthPolicy, PacksHarderTheMoreWaits) {
  auto policy = policy_for_two();
  std::size_t last = 0;
  for (std::size_t waiting = 0; waiting <= kSlots; ++waiting) {
    EXPECT_GE(policy.choose(waiting), last);
    last = policy.choose(waiting);
  }
  EXPECT_EQ(policy.choose(kSlots - 3), codec_ladder().size() - 1);
}

TEST(StrengthPolicy, WorksWithTheSmallestRing) {
  const StrengthPolicy policy(1, 1, 3);
  EXPECT_EQ(policy.choose(0), 0U);
  EXPECT_LT(policy.choose(100), codec_ladder().size());
}

TEST(StrengthPolicy, NeverGoesBelowWhatTheRoomDemands) {
  auto policy = policy_for_two();
  policy.heed_room(RoomForecast(1000, 10, 2000));
  EXPECT_EQ(policy.floor(), 0U);
  policy.heed_room(RoomForecast(1000, 10, 600));
  EXPECT_EQ(policy.floor(), 1U);
  EXPECT_EQ(policy.choose(0), 1U);
  policy.heed_room(RoomForecast(1000, 10, 400));
  EXPECT_GT(policy.floor(), 3U);
  policy.heed_room(RoomForecast(1000, 10, 11));
  EXPECT_EQ(policy.floor(), codec_ladder().size() - 1);
}

TEST(StrengthPolicy, LearnsThatThisMemoryIsHardToPack) {
  auto policy = policy_for_two();
  RoomForecast forecast(1000, 0, 700);
  policy.heed_room(forecast);
  EXPECT_EQ(policy.floor(), 1U);
  forecast.stored(100, 70, 0.53);
  policy.heed_room(forecast);
  EXPECT_GT(policy.floor(), 1U);
}

TEST(StrengthPolicy, TurnsBackWhenThereIsRoomAgain) {
  auto policy = policy_for_two();
  RoomForecast forecast(1000, 0, 500);
  policy.heed_room(forecast);
  const std::size_t before = policy.floor();
  forecast.stored(500, 10, 0.4);  // half of it was empty
  policy.heed_room(forecast);
  EXPECT_LT(policy.floor(), before);
}

// The claim of design section 7, on a model: rates of one core as measured there, the device's as given.
// Nothing here depends on this machine.
TEST(StrengthPolicy, IsAsFastAsTheBestFixedCodecAtEveryDeviceRate) {
  for (const double rate : {20.0, 50.0, 100.0, 200.0, 300.0, 500.0, 800.0, 1100.0, 2000.0, 5000.0}) {
    PipelineModel model{.device_rate = rate, .slots = kSlots};
    double best = 0;
    for (std::size_t rung = 0; rung < codec_ladder().size(); ++rung) {
      best = std::max(best, model.run([&](std::size_t) { return rung; }));
    }
    auto policy = policy_for_two();
    const double chosen = model.run([&](std::size_t waiting) { return policy.choose(waiting); });
    std::cout << "device " << rate << " MB/s: best fixed codec " << best << " MB/s, chosen by the queue "
              << chosen << '\n';
    EXPECT_GT(chosen, 0.98 * best) << rate;
  }
}

TEST(StrengthPolicy, IsAheadWhereProcessorsAndDeviceAreOfLikeSpeed) {
  PipelineModel model{.device_rate = 2000, .slots = kSlots};
  double best = 0;
  for (std::size_t rung = 0; rung < codec_ladder().size(); ++rung) {
    best = std::max(best, model.run([&](std::size_t) { return rung; }));
  }
  auto policy = policy_for_two();
  EXPECT_GT(model.run([&](std::size_t waiting) { return policy.choose(waiting); }), 1.2 * best);
}

}  // namespace
}  // namespace dormouse
