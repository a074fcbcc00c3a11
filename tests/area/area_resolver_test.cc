#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "area/resolver_bed.h"

namespace dormouse::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using AreaResolver = ResolverBed;

TEST_F(AreaResolver, MostRoomWinsAndNotPriority) {
  add_two(/*first_priority=*/5, /*second_priority=*/-1, /*first_used=*/4000, /*second_used=*/100);
  const auto search = find();
  EXPECT_EQ(text(search), "/dev/sda3");
  EXPECT_THAT(passed_over(search), IsEmpty());
  EXPECT_THAT(notes(search), IsEmpty());
  EXPECT_TRUE(search->target.active);
  EXPECT_EQ(search->target.device_number, ::gnu_dev_makedev(8, 3));
}

TEST_F(AreaResolver, PriorityDecidesBetweenEquals) {
  add_two(/*first_priority=*/-3, /*second_priority=*/-2);
  EXPECT_EQ(text(find()), "/dev/sda3");
}

TEST_F(AreaResolver, TheOrderOfTheTableDecidesLast) {
  add_two(/*first_priority=*/-2, /*second_priority=*/-2);
  EXPECT_EQ(text(find()), "/dev/sda2");
}

TEST_F(AreaResolver, WhatThisBootWasToldComesFirst) {
  add_two(-2, -3, /*first_used=*/4000);
  machine_.file("proc/cmdline", "quiet resume=UUID=a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf ro\n");
  const auto search = find();
  EXPECT_EQ(text(search), "/dev/sda2");
  EXPECT_THAT(notes(search),
              ElementsAre(HasSubstr("/dev/sda2 is taken, since resume= of the kernel command line "
                                    "names it; /dev/sda3 has more room")));
  machine_.file("proc/cmdline", "quiet resume=/dev/sda2 resume_offset=7\n");
  EXPECT_EQ(text(find()), "/dev/sda3") << "that is another area";
  machine_.file("proc/cmdline", "quiet resume=/dev/gone\n");
  EXPECT_EQ(text(find()), "/dev/sda3");
}

TEST_F(AreaResolver, NoSwapAtAll) {
  EXPECT_EQ(
      text(find()),
      "find swap area: no swap is on: make some (mkswap, swapon), or name an area with --resume-device");
}

TEST_F(AreaResolver, NamedMeansExactlyThatOne) {
  add_two(/*first_priority=*/100, -1, 0, /*second_used=*/8000);
  const auto search = find({.resume_device = "/dev/sda3"});
  EXPECT_EQ(text(search), "/dev/sda3");
  EXPECT_TRUE(search->target.active);
  EXPECT_EQ(search->target.named_as, "");
  EXPECT_THAT(notes(search), IsEmpty());
}

TEST_F(AreaResolver, WhatANameBecameIsTold) {
  add_two();
  const auto search = find({.resume_device = "LABEL=old-swap"});
  EXPECT_THAT(text(search), HasSubstr("nothing of that name"));
  const std::string uuid = "UUID=A0A1A2A3-a4a5-a6a7-a8a9-aaabacadaeaf";
  const auto by_uuid = find({.resume_device = uuid});
  EXPECT_EQ(text(by_uuid), "/dev/sda2");
  EXPECT_EQ(by_uuid->target.named_as, uuid);
  EXPECT_THAT(notes(by_uuid), ElementsAre(uuid + " is /dev/sda2"));
}

TEST_F(AreaResolver, AnAreaThatIsOffIsNotActive) {
  add_two();
  machine_.add({.name = "sda6", .minor = 6, .disk = "sda"}, swap_content());
  const auto search = find({.resume_device = "/dev/sda6"});
  EXPECT_EQ(text(search), "/dev/sda6");
  EXPECT_FALSE(search->target.active);
}

TEST_F(AreaResolver, ANameThatLeadsNowhereSaysWhoNamedIt) {
  add_two();
  const auto search = find({.resume_device = "/dev/sdq1", .origin = "/etc/suspend.conf:3"});
  ASSERT_FALSE(search);
  EXPECT_EQ(search.error().code, Errc::kUsage);
  EXPECT_THAT(text(search), HasSubstr("find swap area on /dev/sdq1: nothing of that name is there (see "
                                      "/etc/suspend.conf:3): swap areas are on /dev/sda2 (UUID=a0a1"));
}

TEST_F(AreaResolver, ASwapFileBecomesDeviceAndOffset) {
  add_root(40);
  swap_file_on("/swapfile", 40);
  const auto search = find({.resume_device = "/swapfile"});
  EXPECT_EQ(text(search), "/dev/sda1+40");
  EXPECT_TRUE(search->target.active);
  EXPECT_EQ(search->target.named_as, "/swapfile");
  EXPECT_EQ(machine_.short_text(search->target.swap_file), "/swapfile");
  EXPECT_THAT(notes(search), ElementsAre("the swap file /swapfile begins at page 40 of /dev/sda1"));
  EXPECT_THAT(text(find()),
              HasSubstr("/swapfile: the next boot would not look at page 40 of /dev/sda1: put 'resume "
                        "device = /swapfile' into /etc/suspend.conf"))
      << "by itself only where the boot will look";
  machine_.file("proc/cmdline", "resume=/dev/sda1 resume_offset=40\n");
  EXPECT_EQ(text(find()), "/dev/sda1+40");
  machine_.file("proc/cmdline", "resume=/dev/sda1 resume_offset=41\n");
  EXPECT_THAT(text(find()), HasSubstr("no active swap area will do"));
}

TEST_F(AreaResolver, ASwapFileThatIsOffIsNotActive) {
  add_root(40);
  swap_file_on("/swapfile", 40);
  machine_.file("other", "");
  const auto search = find({.resume_device = "/other"});
  EXPECT_EQ(text(search), "/dev/sda1+40");
  EXPECT_FALSE(search->target.active);
}

TEST_F(AreaResolver, AStaleOffsetOfANamedFileIsReportedWithBothNumbers) {
  add_root(40);
  swap_file_on("/swapfile", 40);
  const auto search =
      find({.resume_device = "/swapfile", .resume_offset_pages = 34816, .origin = "a.conf:3"});
  EXPECT_EQ(text(search), "/dev/sda1+40");
  EXPECT_THAT(
      notes(search),
      ElementsAre(HasSubstr("begins at page 40"),
                  "resume offset = 34816 (with the device of a.conf:3) is out of date: /swapfile begins at "
                  "page 40 now, which is used; leave the offset out, or set it to 40"));
  EXPECT_EQ(notes(find({.resume_device = "/swapfile", .resume_offset_pages = 40})).size(), 1U);
}

TEST_F(AreaResolver, AStaleOffsetOnADeviceIsRefusedWithBothNumbers) {
  add_root(40);
  swap_file_on("/swapfile", 40);
  const auto search = find({.resume_device = "/dev/sda1", .resume_offset_pages = 34816});
  ASSERT_FALSE(search);
  EXPECT_EQ(search.error().code, Errc::kUsage);
  EXPECT_EQ(text(search),
            "find swap area on /dev/sda1: resume offset = 34816, but the swap file on it that is swapped on, "
            "/swapfile, begins at page 40: write 'resume offset = 40', or name the file as resume device and "
            "leave the "
            "offset out");
  EXPECT_THAT(text(find({.resume_device = "/dev/sda1"})), HasSubstr("no resume offset is given"));
  const auto good = find({.resume_device = "/dev/sda1", .resume_offset_pages = 40});
  EXPECT_EQ(text(good), "/dev/sda1+40");
  EXPECT_TRUE(good->target.active);
  EXPECT_EQ(good->target.swap_file, "/swapfile");
  const auto resumed = find_resume({.resume_device = "/dev/sda1", .resume_offset_pages = 34816});
  EXPECT_EQ(text(resumed), "/dev/sda1+34816") << "an image may lie where the file was";
  EXPECT_THAT(notes(resumed), ElementsAre(HasSubstr("begins at page 40")));
}

TEST_F(AreaResolver, OfASwapFileThatCannotBePlacedItsDeviceIsBelieved) {
  add_root(40);
  swap_file_on("/swapfile", 40);
  place_.reset();
  EXPECT_THAT(text(find()), HasSubstr("it has holes"));
  EXPECT_THAT(text(find({.resume_device = "/swapfile"})), HasSubstr("it has holes"));
  EXPECT_FALSE(find({.resume_device = "/dev/sda1", .resume_offset_pages = 7})->target.active)
      << "it is not on this device";
}

TEST_F(AreaResolver, InFileModeAFileIsTheAreaItself) {
  machine_.file("area", swap_content());
  const auto search = find({.resume_device = "/area", .resume_offset_pages = 3}, {.allow_file = true});
  EXPECT_EQ(text(search), "/area+3");
  EXPECT_TRUE(search->target.regular_file);
  EXPECT_FALSE(search->target.active);
  EXPECT_THAT(notes(search), IsEmpty());
}

TEST_F(AreaResolver, InFileModeAFileThatIsSwappedOnIsFoundToBe) {
  add_root(40);
  swap_file_on("/swapfile", 40);
  const auto search = find({.resume_device = "/swapfile"}, {.allow_file = true});
  EXPECT_EQ(text(search), "/dev/sda1+40");
  EXPECT_TRUE(search->target.active);
}

}  // namespace
}  // namespace dormouse::test
