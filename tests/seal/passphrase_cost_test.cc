#include <gtest/gtest.h>

#include "dormouse/sealing.h"

namespace dormouse::test {
namespace {

TEST(PassphraseCost, TakesAllTheMemoryItMayBeforePasses) {
  // A time that no processor needs for so little memory.
  const auto cost = measure_passphrase_cost(5000, 64);
  ASSERT_TRUE(cost) << cost.error().what();
  EXPECT_EQ(*cost, (PassphraseCost{.memory_kib = 64, .passes = kMaxCostPasses, .lanes = 1}));
}

TEST(PassphraseCost, IsNeverLessThanThreePassesNorMoreThanAnInitramfsCanPay) {
  const auto least = measure_passphrase_cost(0, std::uint64_t{1} << 40);
  ASSERT_TRUE(least) << least.error().what();
  EXPECT_EQ(*least, (PassphraseCost{.memory_kib = 16 * 1024, .passes = 3, .lanes = 1}));
  const auto some = measure_passphrase_cost(200, std::uint64_t{1} << 40);
  ASSERT_TRUE(some);
  EXPECT_LE(some->memory_kib, kMaxChosenMemoryKib);
  EXPECT_GE(some->memory_kib, 16U * 1024);
  EXPECT_GE(some->passes, 3U);
  EXPECT_TRUE(is_payable(*some));
}

TEST(PassphraseCost, CanBePaidWhereThereIsNearlyNothing) {
  const auto cost = measure_passphrase_cost(100, 0);
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->memory_kib, kMinCostMemoryKib);
  EXPECT_TRUE(is_payable(*cost));
}

TEST(PassphraseCost, TakesAtMostHalfOfWhatIsFree) {
  const auto cost = choose_passphrase_cost(std::uint64_t{2} << 20);
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->memory_kib, 1024U);
  EXPECT_TRUE(is_payable(*cost));
}

}  // namespace
}  // namespace dormouse::test
