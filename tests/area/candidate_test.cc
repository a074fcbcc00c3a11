#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "area/resolver_bed.h"

namespace dormouse::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using AreaCandidate = ResolverBed;

TEST_F(AreaCandidate, ZramIsPassedOver) {
  add_two();
  add_on({.name = "zram0", .major = 252});
  expect_passed_over("/dev/zram0", "is memory, which is gone when the power is");
}

TEST_F(AreaCandidate, ZramAloneIsNoArea) {
  add_on({.name = "zram0", .major = 252});
  EXPECT_EQ(
      text(find()),
      "find swap area: no active swap area will do. /dev/zram0: /dev/zram0 is memory, which is gone when the "
      "power is. Make another (mkswap, swapon), or name one with --resume-device");
}

TEST_F(AreaCandidate, ZvolIsPassedOver) {
  add_two();
  add_on({.name = "zd0", .major = 230});
  expect_passed_over("/dev/zd0", "is a ZFS volume");
}

TEST_F(AreaCandidate, LoopDeviceIsPassedOverWithItsFile) {
  add_two();
  machine_.add({.name = "loop0", .major = 7}, swap_content());
  machine_.file("sys/class/block/loop0/loop/backing_file", "/var/swap.img\n");
  machine_.swap_on("/dev/loop0", kKibibytes, 0, 100);
  expect_passed_over("/dev/loop0", "is a loop device over the file /var/swap.img");
}

TEST_F(AreaCandidate, NetworkDevicesArePassedOver) {
  for (const char* name : {"nbd0", "rbd1", "drbd2"}) {
    FakeMachine fresh;
    fresh.add({.name = name, .major = 43}, swap_content());
    fresh.swap_on(std::string("/dev/") + name, kKibibytes, 0, 1);
    const auto search = find_area({}, {.page_bytes = kMinPageBytes}, fresh.host());
    EXPECT_THAT(text(search), HasSubstr("is there only once the network is")) << name;
  }
}

TEST_F(AreaCandidate, RemovableDisksArePassedOver) {
  add_two();
  add_on({.name = "sdb", .minor = 16, .removable = true});
  expect_passed_over("/dev/sdb", "can be taken out");
}

TEST_F(AreaCandidate, DisksOnUsbArePassedOverWithTheirPartitions) {
  add_two();
  machine_.add({.name = "sdb", .minor = 16, .bus = "pci0000:00/0000:00:14.0/usb1/1-2/host6"});
  add_on({.name = "sdb1", .minor = 17, .disk = "sdb"});
  expect_passed_over("/dev/sdb1", "the disk /dev/sdb can be taken out");
}

TEST_F(AreaCandidate, CardsArePassedOverAndSolderedMemoryIsNot) {
  add_two(-2, -3, /*first_used=*/100, /*second_used=*/100);
  add_on({.name = "mmcblk0", .major = 179, .bus = "platform/mmc_host/mmc0/mmc0:0001"});
  machine_.file("sys/class/block/mmcblk0/device/type", "SD\n");
  expect_passed_over("/dev/mmcblk0", "can be taken out");
  machine_.file("sys/class/block/mmcblk0/device/type", "MMC\n");
  EXPECT_EQ(text(find()), "/dev/mmcblk0");
}

TEST_F(AreaCandidate, FullAreasArePassedOver) {
  add_two();
  add_on({.name = "sdc", .minor = 32}, swap_content(), /*used=*/kKibibytes);
  expect_passed_over("/dev/sdc", "it is full: all of its 8384512 bytes are in use");
}

TEST_F(AreaCandidate, AreasOfAnotherPageSizeArePassedOver) {
  add_two();
  add_on({.name = "sdc", .minor = 32}, swap_content({.page_bytes = 65536}));
  expect_passed_over("/dev/sdc", "it was made for pages of 65536 bytes, this kernel has pages of 4096");
}

TEST_F(AreaCandidate, WhatHasNoSignatureIsPassedOver) {
  add_two();
  add_on({.name = "sdc", .minor = 32}, "nothing");
  expect_passed_over("/dev/sdc", "mkswap");
}

TEST_F(AreaCandidate, WhatCannotBeReadIsPassedOver) {
  add_two();
  add_on({.name = "sdc", .minor = 32});
  machine_.break_node("sdc", EIO);
  expect_passed_over("/dev/sdc", "read start of swap area on /dev/sdc: Input/output error");
}

TEST_F(AreaCandidate, PlainDmCryptWithARandomKeyIsPassedOver) {
  machine_.file("etc/crypttab",
                "# name device key options\nother /dev/sda9 none\nswap /dev/sda4 /dev/urandom swap\n");
  machine_.add({.name = "sda"});
  machine_.add({.name = "sda4", .minor = 4, .disk = "sda"});
  machine_.add({.name = "dm-0",
                .major = 253,
                .slaves = {"sda4"},
                .mapped_name = "swap",
                .mapped_uuid = "CRYPT-PLAIN-swap"},
               swap_content());
  machine_.swap_on("/dev/dm-0", kKibibytes, 0, 1);
  EXPECT_THAT(text(find()), HasSubstr("has a new key at each boot (/dev/urandom in /etc/crypttab)"));
  machine_.file("etc/crypttab", "");
  EXPECT_THAT(text(find()), HasSubstr("no line of /etc/crypttab tells whether its key is the same"));
  machine_.file("etc/crypttab", "swap /dev/sda4 /etc/keys/swap plain\n");
  EXPECT_EQ(text(find()), "/dev/mapper/swap");
  machine_.file("etc/crypttab", "swap /dev/sda4 /dev/urandom swap\n");
  EXPECT_EQ(text(find({.resume_device = "/dev/mapper/swap"})), "/dev/mapper/swap") << "named is named";
}

TEST_F(AreaCandidate, BesideAnEncryptedAreaNoneInTheClearIsChosen) {
  add_two();
  machine_.add({.name = "sda5", .minor = 5, .disk = "sda"});
  machine_.add({.name = "dm-0",
                .major = 253,
                .slaves = {"sda5"},
                .mapped_name = "luks",
                .mapped_uuid = "CRYPT-LUKS2-1"});
  machine_.add({.name = "dm-1",
                .major = 253,
                .minor = 1,
                .slaves = {"dm-0"},
                .mapped_name = "vg-swap",
                .mapped_uuid = "LVM-1"},
               swap_content());
  machine_.swap_on("/dev/dm-1", kKibibytes, 4000, -9);
  const auto search = find();
  EXPECT_EQ(text(search), "/dev/mapper/vg-swap");
  EXPECT_THAT(passed_over(search), ElementsAre(HasSubstr("/dev/sda2: it is in the clear, and /dev/dm-1 is"),
                                               HasSubstr("/dev/sda3: it is in the clear, and /dev/dm-1 is")));
  EXPECT_EQ(text(find({}, {.sealed_image = true})), "/dev/sda2");
  EXPECT_EQ(text(find({.resume_device = "/dev/sda3"})), "/dev/sda3") << "named is named";
}

TEST_F(AreaCandidate, AnEncryptedAreaThatWillNotDoStillKeepsTheClearOnesAway) {
  add_two();
  machine_.add({.name = "dm-0",
                .major = 253,
                .slaves = {"sda"},
                .mapped_name = "swap",
                .mapped_uuid = "CRYPT-PLAIN-swap"},
               swap_content());
  machine_.swap_on("/dev/dm-0", kKibibytes, 0, 1);
  EXPECT_THAT(text(find()), HasSubstr("no active swap area will do"));
}

TEST_F(AreaCandidate, VerityIsNoEncryption) {
  add_two();
  machine_.add({.name = "dm-0",
                .major = 253,
                .slaves = {"sda"},
                .mapped_name = "checked",
                .mapped_uuid = "CRYPT-INTEGRITY-1"},
               swap_content());
  machine_.swap_on("/dev/dm-0", kKibibytes, 4000, 1);
  EXPECT_EQ(text(find()), "/dev/sda2");
}

TEST_F(AreaCandidate, NoFailedCallLeadsToAnAreaThatIsNotTheRightOne) {
  // The only one that may be chosen is encrypted; each call fails in turn.
  add_two();
  machine_.add({.name = "dm-0",
                .major = 253,
                .slaves = {"sda"},
                .mapped_name = "luks",
                .mapped_uuid = "CRYPT-LUKS2-1"},
               swap_content());
  machine_.swap_on("/dev/dm-0", kKibibytes, 4000, -9);
  const auto calls_before = machine_.calls().faults().calls().size();
  ASSERT_EQ(text(find()), "/dev/mapper/luks");
  const auto calls = machine_.calls().faults().calls().size() - calls_before;
  ASSERT_GT(calls, 40U);
  for (std::size_t call = 0; call < calls; ++call) {
    machine_.calls().faults().fail_call(machine_.calls().faults().calls().size() + call, EIO);
    const auto search = find();
    if (search) {
      EXPECT_EQ(text(search), "/dev/mapper/luks") << "call " << call;
    } else {
      EXPECT_GT(text(search).size(), 30U) << "call " << call;
    }
  }
}

}  // namespace
}  // namespace dormouse::test
