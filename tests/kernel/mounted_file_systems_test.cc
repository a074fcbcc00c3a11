#include "kernel/mounted_file_systems.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "support/temporary_directory.h"

namespace dormouse {
namespace {

constexpr std::string_view kInitramfs =
    "1 1 0:2 / / rw - rootfs rootfs rw,size=484780k\n"
    "21 1 0:20 / /sys rw,nosuid - sysfs sysfs rw\n"
    "23 1 0:5 / /dev rw - devtmpfs udev rw,size=484780k\n"
    "24 1 0:22 / /run rw,nosuid shared:5 - tmpfs tmpfs rw\n";

std::string with(std::string_view line) {
  return std::string(kInitramfs) + std::string(line) + "\n";
}

TEST(MountedFileSystems, AnInitramfsHasNone) {
  EXPECT_FALSE(first_mounted_device(kInitramfs));
  EXPECT_FALSE(first_mounted_device(""));
}

TEST(MountedFileSystems, NamesTheFirstOnADevice) {
  EXPECT_EQ(first_mounted_device(with("25 1 254:1 / /root rw,relatime - ext4 /dev/vda1 rw")),
            "/dev/vda1 on /root");
  EXPECT_EQ(first_mounted_device(with("25 1 254:1 / / ro shared:1 master:2 - xfs /dev/mapper/root rw")),
            "/dev/mapper/root on /");
}

TEST(MountedFileSystems, KnowsThoseWithoutADeviceNumber) {
  EXPECT_EQ(first_mounted_device(with("25 1 0:31 /@ / rw - btrfs /dev/sda2 rw")), "/dev/sda2 on /");
  EXPECT_EQ(first_mounted_device(with("25 1 0:31 / / rw - zfs pool/root rw")), "pool/root on /");
}

TEST(MountedFileSystems, LeavesOutWhatCannotBeWritten) {
  EXPECT_FALSE(first_mounted_device(with("25 1 7:0 / /live ro - squashfs /dev/loop0 ro")));
  EXPECT_FALSE(first_mounted_device(with("25 1 11:0 / /cd ro - iso9660 /dev/sr0 ro")));
}

TEST(MountedFileSystems, TakesAnyText) {
  for (const auto* line :
       {"-", "1 2 3", "1 1 254:1 / / rw -", "1 1 254:1 / / rw - ext4", " - - - - - -", "a b c d e f - g"})
    (void)first_mounted_device(line);
}

TEST(MountedFileSystems, ReadsTheKernelsList) {
  const test::TemporaryDirectory directory;
  const SystemPaths paths{.proc = directory.path(), .sys = "", .dev = ""};
  EXPECT_EQ(mounted_file_system({.paths = paths}).error().errnum, ENOENT)
      << "not knowing is not the same as none";
  directory.write("self/mountinfo", with("25 1 254:1 / / rw - ext4 /dev/vda1 rw"));
  EXPECT_EQ(mounted_file_system({.paths = paths}).value(), "/dev/vda1 on /");
}

}  // namespace
}  // namespace dormouse
