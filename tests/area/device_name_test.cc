#include "area/device_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "area/fake_machine.h"
#include "kernel/device_number.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;

class DeviceName : public ::testing::Test {
 protected:
  void SetUp() override {
    if (FakeMachine::possible()) return;
    ASSERT_EQ(std::getenv("CI"), nullptr) << "CI must be allowed to make device nodes";
    GTEST_SKIP() << "no device nodes can be made (root needed)";
  }

  /// Path of the node in /dev that `written` leads to; else the error.
  std::string found(const std::string& written) {
    const auto thing = look_up_name(written, machine_.host());
    if (!thing) return machine_.short_text(thing.error().what());
    if (!*thing) return "nothing";
    return machine_.short_text((*thing)->path);
  }

  void add_disk() {
    machine_.add({.name = "sda"});
    machine_.add({.name = "sda2",
                  .minor = 2,
                  .disk = "sda",
                  .uevent = "PARTN=2\nPARTUUID=1234abcd-02\nPARTNAME=Linux swap\n"},
                 swap_content({.label = "my swap"}));
  }

  FakeMachine machine_;
};

constexpr std::string_view kUuid = "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf";

TEST_F(DeviceName, PathsAndLinks) {
  add_disk();
  machine_.link("disk/by-id/ata-DISK-part2", "../../sda2");
  machine_.link("disk/by-partlabel/Linux\\x20swap", "../../sda2");
  machine_.link("my swap", "sda2");
  EXPECT_EQ(found("/dev/sda2"), "/dev/sda2");
  EXPECT_EQ(found("/dev/disk/by-id/ata-DISK-part2"), "/dev/sda2");
  EXPECT_EQ(found("/dev/disk/by-partlabel/Linux\\x20swap"), "/dev/sda2") << "udev's own name has the escape";
  EXPECT_EQ(found("/dev/my swap"), "/dev/sda2");
  EXPECT_EQ(found("/dev/my\\x20swap"), "/dev/sda2");
  EXPECT_EQ(found("/dev/my\\040swap"), "/dev/sda2");
  EXPECT_EQ(found("sda2"), "/dev/sda2");
  EXPECT_EQ(found("/dev/sdb2"), "nothing");
  machine_.link("disk/by-id/gone", "../../sdz9");
  EXPECT_EQ(found("/dev/disk/by-id/gone"), "nothing");
}

TEST_F(DeviceName, DeviceMapperNames) {
  add_disk();
  machine_.add({.name = "dm-1",
                .major = 253,
                .minor = 1,
                .slaves = {"sda2"},
                .mapped_name = "vg-swap",
                .mapped_uuid = "LVM-abc"});
  machine_.link("vg/swap", "../dm-1");
  for (const char* name : {"/dev/mapper/vg-swap", "/dev/dm-1", "vg-swap", "/dev/vg/swap", "253:1"})
    EXPECT_EQ(found(name), "/dev/mapper/vg-swap") << name;
}

TEST_F(DeviceName, NumbersAboveByte) {
  machine_.add({.name = "nvme9n1", .major = 259, .minor = 1'048'575});
  machine_.add({.name = "sdq", .major = 65, .minor = 300});
  EXPECT_EQ(found("259:1048575"), "/dev/nvme9n1");
  EXPECT_EQ(found("65:300"), "/dev/sdq");
  EXPECT_EQ(found("65:301"), "nothing");
}

TEST_F(DeviceName, Tags) {
  add_disk();
  EXPECT_EQ(found(fmt::format("UUID={}", kUuid)), "/dev/sda2");
  EXPECT_EQ(found("uuid=A0A1A2A3-A4A5-A6A7-A8A9-AAABACADAEAF"), "/dev/sda2");
  EXPECT_EQ(found("LABEL='my swap'"), "/dev/sda2");
  EXPECT_EQ(found("LABEL=my\\x20swap"), "/dev/sda2");
  EXPECT_EQ(found("PARTUUID=1234ABCD-02"), "/dev/sda2");
  EXPECT_EQ(found("PARTLABEL=Linux swap"), "/dev/sda2");
  EXPECT_EQ(found("UUID=00000000-0000-0000-0000-000000000000"), "nothing");
  EXPECT_THAT(found("UUID="), HasSubstr("nothing behind the '='"));
}

TEST_F(DeviceName, AMarkDoesNotHideTheTags) {
  machine_.add({.name = "sda"}, swap_content({.signature = "ULSUSPEND"}));
  EXPECT_EQ(found(fmt::format("UUID={}", kUuid)), "/dev/sda");
}

TEST_F(DeviceName, TwoDevicesOfOneTagAreBothListed) {
  add_disk();
  machine_.add({.name = "sdb", .minor = 16}, swap_content());
  const std::string said = found(fmt::format("UUID={}", kUuid));
  EXPECT_THAT(said, HasSubstr("2 devices have it: /dev/sda2, /dev/sdb"));
  EXPECT_THAT(said, HasSubstr("swaplabel"));
}

TEST_F(DeviceName, AMirrorCountsAndNotItsHalves) {
  machine_.add({.name = "sda"}, swap_content());
  machine_.add({.name = "sdb", .minor = 16}, swap_content());
  machine_.add({.name = "md0", .major = 9, .slaves = {"sda", "sdb"}}, swap_content());
  EXPECT_EQ(found(fmt::format("UUID={}", kUuid)), "/dev/md0");
}

TEST_F(DeviceName, AMultipathPartitionCountsAndNotThoseOfItsPaths) {
  for (const char* name : {"sda", "sdb"}) {
    const unsigned minor = name[2] == 'a' ? 0 : 16;
    machine_.add({.name = name, .minor = minor});
    machine_.add({.name = std::string(name) + "1", .minor = minor + 1, .disk = name}, swap_content());
  }
  machine_.add({.name = "dm-0",
                .major = 253,
                .slaves = {"sda", "sdb"},
                .mapped_name = "mpatha",
                .mapped_uuid = "mpath-1"});
  machine_.add({.name = "dm-1",
                .major = 253,
                .minor = 1,
                .slaves = {"dm-0"},
                .mapped_name = "mpatha-part1",
                .mapped_uuid = "part1-mpath-1"},
               swap_content());
  EXPECT_EQ(found(fmt::format("UUID={}", kUuid)), "/dev/mapper/mpatha-part1");
}

TEST_F(DeviceName, ADifferentPartitionOfTheSameDiskIsNoHalf) {
  machine_.add({.name = "sda"});
  machine_.add({.name = "sda1", .minor = 1, .disk = "sda"}, swap_content());
  machine_.add({.name = "sda2", .minor = 2, .disk = "sda"});
  machine_.add(
      {.name = "dm-0", .major = 253, .slaves = {"sda2"}, .mapped_name = "vg-swap", .mapped_uuid = "LVM-1"},
      swap_content());
  EXPECT_THAT(found(fmt::format("UUID={}", kUuid)), HasSubstr("2 devices have it"));
}

TEST_F(DeviceName, WhatIsNoAreaIsRefused) {
  EXPECT_THAT(found("/dev"), HasSubstr("neither a block device nor a swap file"));
  machine_.file("swap file", "");
  EXPECT_EQ(found("/swap file"), "/swap file");
  EXPECT_EQ(found("/swap\\040file"), "/swap file");
  EXPECT_EQ(found("/swap file/below"), "nothing");
}

TEST_F(DeviceName, ADeviceThatCannotBeReadIsSkippedAndNamed) {
  add_disk();
  machine_.add({.name = "sdb", .minor = 16}, swap_content({.uuid_seed = 1}));
  machine_.add({.name = "sr0", .major = 11});
  machine_.break_node("sdb", EIO);
  machine_.break_node("sr0", ENOMEDIUM);
  std::vector<std::string> skipped;
  const auto other = look_up_name(fmt::format("UUID={}", kUuid), machine_.host(), &skipped);
  ASSERT_TRUE(other && *other);
  EXPECT_EQ(machine_.short_text((*other)->path), "/dev/sda2");
  ASSERT_EQ(skipped.size(), 1U) << "a drive without a medium is nothing to speak of";
  EXPECT_THAT(skipped.front(), HasSubstr("/dev/sdb (Input/output error)"));
  const auto gone = wait_for_name({.resume_device = "LABEL=gone"}, {}, machine_.host());
  ASSERT_FALSE(gone);
  EXPECT_THAT(gone.error().what(), HasSubstr("sdb (Input/output error) could not be read"));
}

TEST_F(DeviceName, WaitingIsShownAndEnds) {
  add_disk();
  std::vector<std::string> lines;
  const SearchOptions options{.wait = std::chrono::seconds(3),
                              .waiting = [&](std::string_view line) { lines.emplace_back(line); }};
  const auto thing = wait_for_name({.resume_device = "LABEL=gone"}, options, machine_.host());
  ASSERT_FALSE(thing);
  EXPECT_EQ(thing.error().code, Errc::kUsage);
  EXPECT_EQ(machine_.short_text(thing.error().what()),
            fmt::format(
                "find swap area on LABEL=gone: nothing of that name is there, and nothing came in 3 s: swap "
                "areas are on /dev/sda2 (UUID={})",
                kUuid));
  EXPECT_THAT(lines,
              ::testing::ElementsAre("waiting for LABEL=gone (3 s left)", "waiting for LABEL=gone (2 s left)",
                                     "waiting for LABEL=gone (1 s left)"));
  EXPECT_EQ(machine_.calls().pauses(), 30U);
}

TEST_F(DeviceName, WhatAppearsMeanwhileIsTaken) {
  machine_.add({.name = "sda"});
  int lines = 0;
  const SearchOptions options{.wait = std::chrono::seconds(10), .waiting = [&](std::string_view) {
                                if (++lines == 2) machine_.add({.name = "sdb", .minor = 16}, swap_content());
                              }};
  const auto thing =
      wait_for_name({.resume_device = fmt::format("UUID={}", kUuid)}, options, machine_.host());
  ASSERT_TRUE(thing) << thing.error().what();
  EXPECT_EQ(thing->path, machine_.node("sdb"));
  EXPECT_EQ(lines, 2);
}

TEST_F(DeviceName, WithoutAWaitTheErrorComesAtOnce) {
  machine_.add({.name = "sda"});
  const auto thing = wait_for_name({.resume_device = "/dev/sdq7"}, {}, machine_.host());
  ASSERT_FALSE(thing);
  EXPECT_EQ(machine_.short_text(thing.error().what()),
            "find swap area on /dev/sdq7: nothing of that name is there: no swap area is on any block "
            "device; there "
            "are /dev/sda");
  EXPECT_EQ(machine_.calls().pauses(), 0U);
}

}  // namespace
}  // namespace dormouse::test
