#include "config/value_parsers.h"

#include <gtest/gtest.h>

namespace dormouse {
namespace {

TEST(ReadBool, KnowsTheCommonSpellings) {
  for (const char* yes : {"y", "Y", "yes", "true", "True", "on", "1", "enable", "ENABLED"})
    EXPECT_EQ(read_bool(yes), true);
  for (const char* no : {"n", "N", "no", "false", "off", "OFF", "0", "disable", "disabled"})
    EXPECT_EQ(read_bool(no), false);
  for (const char* neither : {"", "yn", "yess", "2", "y ", "-"}) EXPECT_EQ(read_bool(neither), std::nullopt);
}

TEST(ReadNumber, IsStrict) {
  EXPECT_EQ(read_number("0"), 0U);
  EXPECT_EQ(read_number("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(read_number("0xfF"), 255U);
  for (const char* wrong : {"", "0x", "+1", "-1", " 1", "1 ", "1.0", "18446744073709551616", "0x-1", "1e3"}) {
    EXPECT_EQ(read_number(wrong), std::nullopt) << wrong;
  }
  EXPECT_EQ(read_number("65", 64), std::nullopt);
}

TEST(ParseImageSize, IsExactAtTheEdges) {
  EXPECT_EQ(parse_image_size("16777214T")->value, 16777214ULL << 40);
  EXPECT_FALSE(parse_image_size("16777216T"));
  EXPECT_EQ(parse_image_size("0.000001G")->value, 1073U);
  EXPECT_FALSE(parse_image_size("0.0000001G"));
  EXPECT_EQ(parse_image_size("0.0001%")->value, 1U);
  EXPECT_FALSE(parse_image_size("0.00001%"));
}

TEST(ParseEarlyWriteout, TakesFractions) {
  EXPECT_EQ(parse_early_writeout("0.5%")->millionths, 5'000U);
  EXPECT_EQ(parse_early_writeout("0.0001")->millionths, 1U);
  EXPECT_EQ(parse_early_writeout("100")->millionths, 1'000'000U);
  EXPECT_EQ(parse_early_writeout("20")->millionths, 200'000U);
  for (const char* wrong : {"100.0001", "0.00001", "-1", ".5", "5.", "1e1", "1%%", "%", ""}) {
    EXPECT_FALSE(parse_early_writeout(wrong)) << wrong;
  }
}

TEST(ImageSize, IsAShareOfRamWithoutOverflow) {
  EXPECT_EQ((ImageSize{ImageSize::Unit::kRamMillionths, 400'000}.bytes(1000)), 400U);
  EXPECT_EQ((ImageSize{ImageSize::Unit::kRamMillionths, 1'000'000}.bytes(UINT64_MAX)), UINT64_MAX);
  EXPECT_EQ((ImageSize{ImageSize::Unit::kBytes, 5}.bytes(1000)), 5U);
}

TEST(PercentText, HasNoNeedlessDigits) {
  EXPECT_EQ(percent_text(400'000), "40%");
  EXPECT_EQ(percent_text(5'000), "0.5%");
  EXPECT_EQ(percent_text(1), "0.0001%");
  EXPECT_EQ(percent_text(0), "0%");
}

}  // namespace
}  // namespace dormouse
