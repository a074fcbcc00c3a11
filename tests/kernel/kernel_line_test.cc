#include "kernel/kernel_line.h"

#include <gtest/gtest.h>

namespace dormouse {
namespace {

TEST(KernelLine, DeviceAndOffset) {
  const KernelLine line =
      parse_kernel_line("BOOT_IMAGE=/vmlinuz root=/dev/vda2 resume=UUID=12-34 resume_offset=34816 quiet\n");
  EXPECT_EQ(line.resume, "UUID=12-34");
  EXPECT_EQ(line.resume_offset, 34816U);
  EXPECT_FALSE(line.noresume);
  EXPECT_FALSE(line.nohibernate);
  EXPECT_EQ(line.unreadable, "");
}

TEST(KernelLine, TheLastWordCounts) {
  EXPECT_EQ(parse_kernel_line("resume=/dev/a resume=/dev/b").resume, "/dev/b");
}

TEST(KernelLine, BlanksWithinQuotesBelongToTheWord) {
  const KernelLine line = parse_kernel_line("foo=\"resume=/dev/a b\" resume=\"PARTLABEL=Linux swap\"");
  EXPECT_EQ(line.resume, "PARTLABEL=Linux swap");
}

TEST(KernelLine, WhatSwitchesItOff) {
  EXPECT_TRUE(parse_kernel_line("noresume").noresume);
  EXPECT_TRUE(parse_kernel_line("hibernate=noresume").noresume);
  EXPECT_FALSE(parse_kernel_line("hibernate=noresume").nohibernate);
  EXPECT_TRUE(parse_kernel_line("nohibernate").nohibernate);
  EXPECT_TRUE(parse_kernel_line("hibernate=no").nohibernate);
  EXPECT_TRUE(parse_kernel_line("hibernate=nonsense").nohibernate);
  EXPECT_FALSE(parse_kernel_line("hibernate=nocompress").nohibernate);
  EXPECT_FALSE(parse_kernel_line("hibernate=protect_image").nohibernate);
}

TEST(KernelLine, WordsForTheFirstProcessAreNotTheKernels) {
  EXPECT_FALSE(parse_kernel_line("quiet -- noresume").noresume);
}

TEST(KernelLine, AnOffsetThatIsNoNumberIsNamed) {
  const KernelLine line = parse_kernel_line("resume=/dev/a resume_offset=36151296..");
  EXPECT_EQ(line.unreadable, "resume_offset=36151296..");
  EXPECT_EQ(line.resume_offset, std::nullopt);
}

}  // namespace
}  // namespace dormouse
