#include "image/room_forecast.h"

#include <gtest/gtest.h>

namespace dormouse {
namespace {

TEST(RoomForecast, CountsOnNothingBeforeItHasSeenAnything) {
  const RoomForecast forecast(1000, 5, 100);
  EXPECT_EQ(forecast.needed_pages(), 1005U);
  EXPECT_FALSE(forecast.hopeless()) << "that is for the writer's first check to say";
}

TEST(RoomForecast, TellsTheWholeFromItsPart) {
  RoomForecast forecast(1000, 5, 400);
  forecast.stored(10, 5);
  EXPECT_EQ(forecast.needed_pages(), 505U);
  EXPECT_EQ(forecast.seen_pages(), 10U);
}

TEST(RoomForecast, NeedsTheFirstPerCent) {
  RoomForecast forecast(1000, 0, 1);
  forecast.stored(9, 9);
  EXPECT_FALSE(forecast.hopeless());
  forecast.stored(1, 1);
  EXPECT_TRUE(forecast.hopeless());
}

TEST(RoomForecast, GivesAMarginThatShrinks) {
  // 500 of 1000 pages: a quarter too much is let pass at first, and not at the end.
  RoomForecast early(1000, 0, 400);
  early.stored(10, 5);
  EXPECT_FALSE(early.hopeless());
  RoomForecast late(1000, 0, 400);
  late.stored(900, 450);
  EXPECT_TRUE(late.hopeless());
}

TEST(RoomForecast, NeverGivesUpOnWhatFits) {
  for (std::uint64_t seen = 1; seen <= 1000; ++seen) {
    RoomForecast forecast(1000, 7, 507);
    forecast.stored(seen * 2, seen);
    if (seen * 2 <= 1000) {
      EXPECT_FALSE(forecast.hopeless()) << seen;
    }
  }
}

}  // namespace
}  // namespace dormouse
