#include "boot/boot_menu.h"

#include <gmock/gmock.h>

#include <cerrno>

#include "support/faulty_system_calls.h"
#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

class BootMenuTest : public ::testing::Test {
 protected:
  void grub() { tree_.write("boot/grub/grub.cfg", "menuentry 'by GRUB' {\n linux /vmlinuz-1 quiet\n}\n"); }
  void entries(std::string_view partition) {
    tree_.write(std::string(partition) + "/loader/entries/a.conf", "title by systemd\nlinux /linux-1\n");
    tree_.write(std::string(partition) + "/loader/loader.conf", "default a\n");
  }
  std::string title() {
    const auto found = read_boot_menu(host_);
    if (!found) return found.error().what();
    return found->menu.chosen ? found->menu.entries[*found->menu.chosen].title : "none";
  }
  TemporaryDirectory tree_;
  Host host_{.paths = {.proc = tree_.file("proc"), .sys = tree_.file("sys"), .root = tree_.path().string()}};
};

TEST_F(BootMenuTest, GrubsOrSystemdsWhicheverIsThere) {
  EXPECT_EQ(title(), "none");
  entries("efi");
  EXPECT_EQ(title(), "by systemd");
  grub();
  EXPECT_EQ(title(), "by GRUB");
}

TEST_F(BootMenuTest, TheFirmwareKnowsWhichOneStartedTheMachine) {
  entries("boot/efi");
  grub();
  tree_.write("sys/firmware/efi/efivars/LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f",
              std::string("\6\0\0\0s\0y\0s\0t\0e\0m\0d\0-\0b\0o\0o\0t\0 \0002\0", 32));
  EXPECT_EQ(title(), "by systemd");
}

TEST_F(BootMenuTest, OneThatCannotBeReadIsAnError) {
  grub();
  FaultySystemCalls calls;
  Host host{.paths = host_.paths, .calls = calls};
  calls.faults().fail_name_after("open", 1, EIO);
  const auto found = read_boot_menu(host);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().errnum, EIO);
}

TEST_F(BootMenuTest, ALoaderCountsFromItsOwnFileSystem) {
  const auto own = tree_.write("boot/initrd.img-1", "x");
  EXPECT_EQ(locate_boot_file("/boot/initrd.img-1", host_), own);
  EXPECT_EQ(locate_boot_file("/initrd.img-1", host_), own);               // a partition for /boot
  EXPECT_EQ(locate_boot_file("/@rootfs/boot/initrd.img-1", host_), own);  // a subvolume
  EXPECT_EQ(locate_boot_file("/initrd.img-2", host_), std::nullopt);
  const auto on_efi = tree_.write("efi/debian/initrd", "x");
  EXPECT_EQ(locate_boot_file("/debian/initrd", host_), on_efi);
}

TEST_F(BootMenuTest, WhereDistributionsPutTheInitramfs) {
  EXPECT_EQ(usual_initramfs("6.1", host_), std::nullopt);
  const auto path = tree_.write("boot/initramfs-6.1.img", "x");
  EXPECT_EQ(usual_initramfs("6.1", host_), path);
}

TEST_F(BootMenuTest, TheRunningKernel) {
  EXPECT_EQ(running_release(host_), "");
  tree_.write("proc/sys/kernel/osrelease", "6.1.0-40-amd64\n");
  EXPECT_EQ(running_release(host_), "6.1.0-40-amd64");
}

}  // namespace
}  // namespace dormouse::test
