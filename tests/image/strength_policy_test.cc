#include "image/strength_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>

#include "image/pipeline_model.h"

namespace dormouse {
namespace {

using test::PipelineModel;

constexpr std::size_t kSlots = 28;
constexpr std::size_t kBusy = 14;
constexpr unsigned kLong = 2000;  // chunks, in which a valve is turned from one end to the other

/// Each rung's share of `chunks` choices in a row.
std::array<double, 8> shares(StrengthPolicy& policy, std::size_t in_flight, unsigned chunks) {
  std::array<double, 8> part{};
  for (unsigned i = 0; i < chunks; ++i) part[policy.choose(in_flight)] += 1.0 / chunks;
  return part;
}

TEST(StrengthPolicy, TurnsToStoringWhileTheDeviceIsHungry) {
  StrengthPolicy policy(kBusy);
  shares(policy, 0, kLong);
  EXPECT_EQ(policy.choose(0), 0U);
}

TEST(StrengthPolicy, TurnsToTheStrongestWhileTheDeviceHasMoreThanItNeeds) {
  StrengthPolicy policy(kBusy);
  shares(policy, kBusy + 1, kLong);
  EXPECT_EQ(policy.choose(kBusy + 1), codec_ladder().size() - 1);
}

TEST(StrengthPolicy, TurnsFasterWhereTheDeviceIsFarBehind) {
  const auto turns = [](std::size_t in_flight) {
    StrengthPolicy policy(kBusy);
    unsigned chunks = 0;
    while (policy.choose(in_flight) + 1 < codec_ladder().size()) ++chunks;
    return chunks;
  };
  EXPECT_LT(turns(kSlots), 80U);
  EXPECT_GT(turns(kBusy + 1), 4 * turns(kSlots));
}

TEST(StrengthPolicy, TurnsWithoutJumps) {
  StrengthPolicy policy(kBusy);
  std::size_t last = policy.choose(kSlots);
  for (unsigned i = 0; i < kLong; ++i) {
    const std::size_t rung = policy.choose(kSlots);
    EXPECT_LE(rung, last + 1) << "no jump by more than a rung";
    EXPECT_GE(rung + 1, last);
    last = rung;
  }
}

TEST(StrengthPolicy, MixesTwoNeighboursWhereItComesToRest) {
  StrengthPolicy policy(kBusy);
  for (unsigned i = 0; i < 20; ++i) (void)policy.choose(2 * kBusy);  // between two rungs
  std::array<double, 8> part{};
  for (unsigned i = 0; i < kLong; ++i) part[policy.choose(i % 2 == 0 ? kBusy - 1 : kBusy + 1)] += 1.0 / kLong;
  std::size_t used = 0;
  for (const double share : part) used += share > 0.05 ? 1 : 0;
  EXPECT_EQ(used, 2U);
}

TEST(StrengthPolicy, NeverGoesBelowWhatTheRoomDemands) {
  StrengthPolicy policy(kBusy);
  policy.heed_room(RoomForecast(1000, 10, 2000));
  EXPECT_EQ(policy.floor(), 0U);
  policy.heed_room(RoomForecast(1000, 10, 600));
  EXPECT_EQ(policy.floor(), 1U);
  for (unsigned i = 0; i < kLong; ++i) EXPECT_GE(policy.choose(0), 1U);
  policy.heed_room(RoomForecast(1000, 10, 400));
  EXPECT_GT(policy.floor(), 3U);
  policy.heed_room(RoomForecast(1000, 10, 11));
  EXPECT_EQ(policy.floor(), codec_ladder().size() - 1);
}

TEST(StrengthPolicy, LearnsThatThisMemoryIsHardToPack) {
  StrengthPolicy policy(kBusy);
  RoomForecast forecast(1000, 0, 700);
  policy.heed_room(forecast);
  EXPECT_EQ(policy.floor(), 1U);
  forecast.stored(100, 70, 0.53);
  policy.heed_room(forecast);
  EXPECT_GT(policy.floor(), 1U);
}

TEST(StrengthPolicy, TurnsBackWhenThereIsRoomAgain) {
  StrengthPolicy policy(kBusy);
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
    for (const unsigned chunks : {500U, 3600U}) {
      PipelineModel model{.device_rate = rate, .slots = kSlots, .chunks = chunks};
      double best = 0;
      for (std::size_t rung = 0; rung < codec_ladder().size(); ++rung) {
        best = std::max(best, model.run([&](std::size_t) { return rung; }));
      }
      StrengthPolicy policy(kBusy);
      const double chosen = model.run([&](std::size_t in_flight) { return policy.choose(in_flight); });
      std::cout << chunks << " chunks, device " << rate << " MB/s: best fixed codec " << best
                << " MB/s, chosen by the queue " << chosen << '\n';
      // Of a small image, learning is a good part.
      EXPECT_GT(chosen, (chunks < 1000 ? 0.95 : 0.96) * best) << rate;
    }
  }
}

TEST(StrengthPolicy, IsAheadWhereProcessorsAndDeviceAreOfLikeSpeed) {
  PipelineModel model{.device_rate = 2000, .slots = kSlots};
  double best = 0;
  for (std::size_t rung = 0; rung < codec_ladder().size(); ++rung) {
    best = std::max(best, model.run([&](std::size_t) { return rung; }));
  }
  StrengthPolicy policy(kBusy);
  EXPECT_GT(model.run([&](std::size_t in_flight) { return policy.choose(in_flight); }), 1.2 * best);
}

}  // namespace
}  // namespace dormouse
