#include "kernel/device_number.h"

#include <gmock/gmock.h>
#include <sys/sysmacros.h>

#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;

TEST(DeviceNumber, IsReadAndWritten) {
  EXPECT_EQ(parse_device_number("8:3"), gnu_dev_makedev(8, 3));
  EXPECT_EQ(parse_device_number("259:1048575"), gnu_dev_makedev(259, 1048575));
  EXPECT_EQ(format_device_number(gnu_dev_makedev(259, 70000)), "259:70000");
  for (const auto* text :
       {"", ":", "8", "8:", ":3", "8:3x", "-8:3", " 8:3", "4096:0", "8:1048576", "8:3:1"}) {
    EXPECT_EQ(parse_device_number(text), std::nullopt) << text;
  }
}

class BlockDevicePathTest : public ::testing::Test {
 protected:
  TemporaryDirectory root_;
  SystemPaths paths_{.proc = root_.file("proc"), .sys = root_.file("sys"), .dev = root_.file("dev")};
  std::uint64_t device_ = gnu_dev_makedev(254, 2);
};

TEST_F(BlockDevicePathTest, IsWhereUdevsLinkLeads) {
  const auto node = root_.write("dev/vda2", "");
  root_.write("dev/block/empty", "");
  std::filesystem::create_symlink("../vda2", root_.file("dev/block/254:2"));
  EXPECT_EQ(block_device_path(device_, paths_).value(), node);
}

TEST_F(BlockDevicePathTest, IsTheKernelsNameWithoutUdev) {
  const auto node = root_.write("dev/mapper/swap", "");
  root_.write("sys/dev/block/254:2/uevent", "MAJOR=254\nMINOR=2\nDEVNAME=mapper/swap\nDEVTYPE=disk\n");
  EXPECT_EQ(block_device_path(device_, paths_).value(), node);
}

TEST_F(BlockDevicePathTest, UnknownNumbersAndMissingNodesAreToldApart) {
  EXPECT_EQ(block_device_path(device_, paths_).error().code, Errc::kUsage);
  root_.write("sys/dev/block/254:2/uevent", "DEVNAME=vda2\n");
  const auto missing = block_device_path(device_, paths_);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::kIo);
  EXPECT_THAT(missing.error().what(), HasSubstr("\"vda2\""));
  root_.write("sys/dev/block/254:2/uevent", "MAJOR=254\n");
  EXPECT_EQ(block_device_path(device_, paths_).error().code, Errc::kIo);
}

TEST_F(BlockDevicePathTest, OnlyBlockDevicesHaveANumber) {
  EXPECT_EQ(block_device_number("/dev/null").error().code, Errc::kUsage);
  EXPECT_EQ(block_device_number(root_.file("none")).error().errnum, ENOENT);
}

}  // namespace
}  // namespace dormouse::test
