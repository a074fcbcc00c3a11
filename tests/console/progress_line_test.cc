#include "console/progress_line.h"

#include <gtest/gtest.h>

namespace dormouse {
namespace {

constexpr ProgressFigures kHalfWay{
    .phase = "write", .done_bytes = 109'200'000, .total_bytes = 254'000'000, .elapsed_ns = 2'000'000'000};

std::string bar(unsigned columns, const ProgressFigures& figures = kHalfWay) {
  ProgressText text;
  return std::string(format_bar(text, figures, columns));
}

std::string plain(const ProgressFigures& figures) {
  ProgressText text;
  return std::string(format_plain(text, figures));
}

TEST(ProgressBar, FillsTheWidthButOneColumn) {
  EXPECT_EQ(bar(100),
            "\rwrite  42 % [====================>                           ] 109.2/254.0 MB   54.6 MB/s "
            "0:03 left");
  EXPECT_EQ(bar(80), "\rwrite  42 % [===========>                ] 109.2/254.0 MB   54.6 MB/s 0:03 left");
  for (unsigned columns = 2; columns < 240; ++columns) EXPECT_EQ(bar(columns).size(), columns);
}

TEST(ProgressBar, LeavesOutTheLessImportantOnANarrowTerminal) {
  EXPECT_EQ(bar(62), "\rwrite  42 % [====>     ] 109.2/254.0 MB   54.6 MB/s 0:03 left");
  EXPECT_EQ(bar(61), "\rwrite  42 % [==========>             ]   54.6 MB/s 0:03 left");
  EXPECT_EQ(bar(47), "\rwrite  42 % [====>     ]   54.6 MB/s 0:03 left");
  EXPECT_EQ(bar(46), "\rwrite  42 % [========>            ] 0:03 left");
  EXPECT_EQ(bar(35), "\rwrite  42 % [====>     ] 0:03 left");
  EXPECT_EQ(bar(34), "\rwrite  42 % 0:03 left            ");
  EXPECT_EQ(bar(22), "\rwrite  42 % 0:03 left");
  EXPECT_EQ(bar(21), "\rwrite  42 %         ");
  EXPECT_EQ(bar(8), "\rwrite  ");
  EXPECT_EQ(bar(1), "\rw");
  EXPECT_EQ(bar(0), "\rw");
}

TEST(ProgressBar, StaysWithinItsBufferOnAWideTerminal) {
  EXPECT_EQ(bar(100'000).size(), ProgressText{}.size());
  EXPECT_EQ(bar(~0U).size(), ProgressText{}.size());
}

TEST(ProgressBar, BeginsWithoutARate) {
  EXPECT_EQ(bar(80, {.phase = "read", .done_bytes = 0, .total_bytes = 254'000'000, .elapsed_ns = 0}),
            "\rread   0 % [>                            ]   0.0/254.0 MB    0.0 MB/s -:-- left");
}

TEST(ProgressBar, EndsWithTheWholeTime) {
  EXPECT_EQ(bar(80, {.phase = "write",
                     .done_bytes = 254'000'000,
                     .total_bytes = 254'000'000,
                     .elapsed_ns = 5'200'000'000}),
            "\rwrite 100 % [=============================] 254.0/254.0 MB   48.8 MB/s in 5.2 s");
}

TEST(ProgressBar, SaysHundredOnlyWhenComplete) {
  EXPECT_EQ((ProgressFigures{.phase = "", .done_bytes = 999'999, .total_bytes = 1'000'000, .elapsed_ns = 1})
                .percent(),
            99U);
  EXPECT_EQ((ProgressFigures{.phase = "", .done_bytes = ~0ULL - 1, .total_bytes = ~0ULL, .elapsed_ns = 1})
                .percent(),
            99U);
  EXPECT_EQ((ProgressFigures{.phase = "", .done_bytes = 0, .total_bytes = 0, .elapsed_ns = 0}).percent(),
            100U);
}

TEST(ProgressBar, CountsHoursAndNoFurtherThanTheyGo) {
  EXPECT_EQ(plain({.phase = "read",
                   .done_bytes = 1'000'000,
                   .total_bytes = 4'724'000'000,
                   .elapsed_ns = 1'000'000'000}),
            "read: 0 % (1.0 of 4724.0 MB), 1.0 MB/s, 1:18:43 left\n");
  EXPECT_EQ(plain({.phase = "read", .done_bytes = 1, .total_bytes = ~0ULL, .elapsed_ns = ~0ULL}),
            "read: 0 % (0.0 of 18446744073709.6 MB), 0.0 MB/s, 99:00:00 left\n");
}

TEST(ProgressPlain, IsALine) {
  EXPECT_EQ(plain(kHalfWay), "write: 42 % (109.2 of 254.0 MB), 54.6 MB/s, 0:03 left\n");
}

}  // namespace
}  // namespace dormouse
