#include "kernel/kept_setting.h"

#include <gmock/gmock.h>

#include <cerrno>

#include "support/faulty_system_calls.h"
#include "support/snapshot_calls.h"
#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;

class KeptSettingTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string image_size() const { return read_whole(root_.file("sys/power/image_size")); }
  [[nodiscard]] std::string printk() const { return read_whole(root_.file("proc/sys/kernel/printk")); }

  TemporaryDirectory root_;
  SystemPaths paths_{.proc = root_.file("proc"), .sys = root_.file("sys"), .dev = root_.file("dev")};
  SnapshotCalls kernel_;
  FaultySystemCalls calls_{kernel_};
};

TEST_F(KeptSettingTest, TheImageSizeIsPutBackOnce) {
  root_.write("sys/power/image_size", "3298534883\n");
  {
    auto kept = keep_image_size(paths_);
    ASSERT_TRUE(kept);
    root_.write("sys/power/image_size", "0\n");
    const auto moved = std::move(*kept);
  }
  EXPECT_EQ(image_size(), "3298534883\n");
  {
    auto kept = keep_image_size(paths_);
    EXPECT_EQ(kept->put_back(), std::nullopt);
    root_.write("sys/power/image_size", "7\n");
    EXPECT_EQ(kept->put_back(), std::nullopt);
  }
  EXPECT_EQ(image_size(), "7\n");
  root_.write("sys/power/image_size", "lots\n");
  EXPECT_FALSE(keep_image_size(paths_));
}

TEST_F(KeptSettingTest, TheConsolesLevelIsPutBack) {
  root_.write("proc/sys/kernel/printk", "4\t4\t1\t7\n");
  {
    const auto level = set_console_loglevel(1, paths_);
    ASSERT_TRUE(level);
    EXPECT_EQ(printk(), "1\n");
  }
  EXPECT_EQ(printk(), "4\n");
  EXPECT_EQ(set_console_loglevel(16, paths_).error().code, Errc::kUsage);
  EXPECT_EQ(set_console_loglevel(-1, paths_).error().code, Errc::kUsage);
}

TEST_F(KeptSettingTest, OneFailureIsOvercome) {
  for (const std::string_view call : {"open", "pwrite"}) {
    for (const int errnum : {EIO, EBUSY, EINTR, ENOMEM}) {
      root_.write("sys/power/image_size", "12345\n");
      auto kept = keep_image_size(paths_, calls_);
      ASSERT_TRUE(kept);
      root_.write("sys/power/image_size", "6\n");
      calls_.faults().fail_name_after(call, 0, errnum, 1);
      EXPECT_EQ(kept->put_back(), std::nullopt) << call << " " << errnum;
      EXPECT_EQ(image_size(), "12345\n");
    }
  }
}

TEST_F(KeptSettingTest, WhatCannotBePutBackIsToldWithTheCommandThatDoesIt) {
  root_.write("sys/power/image_size", "12345\n");
  auto kept = keep_image_size(paths_, calls_);
  root_.write("sys/power/image_size", "6\n");
  calls_.faults().fail_name_after("pwrite", 0, EIO, ~std::uint64_t{0});
  const auto trouble = kept->put_back();
  const std::string file = root_.file("sys/power/image_size");
  EXPECT_EQ(trouble,
            file +
                " was 12345 before and is 6 now: it could not be put back (Input/output error); do it "
                "with 'echo 12345 >" +
                file + "'");
  EXPECT_EQ(image_size(), "6\n");
  EXPECT_EQ(kept->put_back(), std::nullopt) << "it was told";
}

TEST_F(KeptSettingTest, NothingIsToldWhereItIsAsItWas) {
  root_.write("sys/power/image_size", "12345\n");
  auto kept = keep_image_size(paths_, calls_);
  calls_.faults().fail_name_after("pwrite", 0, EIO, ~std::uint64_t{0});
  EXPECT_EQ(kept->put_back(), std::nullopt);
}

TEST_F(KeptSettingTest, NorWhereItCannotBeReadDoesThatPassForGood) {
  root_.write("sys/power/image_size", "12345\n");
  auto kept = keep_image_size(paths_, calls_);
  calls_.faults().fail_name_after("open", 0, EACCES, ~std::uint64_t{0});
  EXPECT_THAT(kept->put_back().value_or(""), HasSubstr("was 12345 before and cannot be read now"));
}

TEST_F(KeptSettingTest, ALevelThatCouldNotBeSetIsAsItWas) {
  root_.write("proc/sys/kernel/printk", "4\t4\t1\t7\n");
  calls_.faults().fail_name_after("pwrite", 0, EIO, 1);
  EXPECT_FALSE(set_console_loglevel(1, paths_, calls_));
  EXPECT_THAT(printk(), ::testing::StartsWith("4"));
}

}  // namespace
}  // namespace dormouse::test
