/// Names of file systems, for messages.
#include "area/file_system_kind.h"

#include <gtest/gtest.h>

namespace dormouse::test {
namespace {

TEST(FileSystemKind, KnowsWhereASwapFileCanBeFound) {
  EXPECT_EQ(file_system_kind(0xef53).name, "ext4");
  EXPECT_EQ(file_system_kind(0xef53).way, FileSystemKind::Way::kExtents);
  EXPECT_EQ(file_system_kind(0x58465342).way, FileSystemKind::Way::kExtentsXfs);
  EXPECT_EQ(file_system_kind(0xf2f52010).way, FileSystemKind::Way::kExtentsF2fs);
  EXPECT_EQ(file_system_kind(0x9123683e).way, FileSystemKind::Way::kBtrfs);
}

TEST(FileSystemKind, NamesTheOthers) {
  EXPECT_EQ(file_system_kind(0x01021994).name, "tmpfs");
  EXPECT_EQ(file_system_kind(0x794c7630).name, "overlayfs");
  EXPECT_EQ(file_system_kind(0x2fc12fc1).name, "zfs");
  EXPECT_EQ(file_system_kind(0x2fc12fc1).way, FileSystemKind::Way::kNone);
  EXPECT_EQ(file_system_kind(0x12345678).name, "an unknown file system (type 0x12345678)");
}

TEST(FileSystemKind, TakesANumberWithItsSignSpreadOut) {
  EXPECT_EQ(file_system_kind(0xffffffff9123683eU).name, "btrfs");
}

}  // namespace
}  // namespace dormouse::test
