#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "area/resolver_bed.h"

namespace dormouse::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using ResumeArea = ResolverBed;

TEST_F(ResumeArea, ResumeFollowsTheKernelLineBeforeTheKernelsOwnSetting) {
  add_two();
  machine_.file("sys/power/resume", "8:2\n");
  machine_.file("sys/power/resume_offset", "0\n");
  EXPECT_EQ(text(find_resume()), "/dev/sda2");
  machine_.file("proc/cmdline", "resume=/dev/sda3 resume_offset=9 resume=PARTUUID=1 resume=/dev/sda3\n");
  EXPECT_EQ(text(find_resume()), "/dev/sda3+9");
  EXPECT_EQ(text(find_resume({.resume_device = "8:2"})), "/dev/sda2");
  machine_.file("proc/cmdline", "resume=/dev/gone\n");
  EXPECT_THAT(text(find_resume()), HasSubstr("(see resume= of the kernel command line)"));
}

TEST_F(ResumeArea, ResumeTakesTheKernelsOffsetWithTheKernelsDevice) {
  add_two();
  machine_.file("sys/power/resume", "8:2\n");
  machine_.file("sys/power/resume_offset", "34816\n");
  EXPECT_EQ(text(find_resume()), "/dev/sda2+34816");
}

TEST_F(ResumeArea, ResumeFindsTheOneMarkByItself) {
  for (const std::uint32_t page_bytes : {4096U, 16384U, 65536U}) {
    FakeMachine fresh;
    fresh.add({.name = "sda"});
    fresh.add({.name = "sda1", .minor = 1, .disk = "sda"}, "a file system");
    fresh.add({.name = "sda2", .minor = 2, .disk = "sda"}, swap_content());
    fresh.add({.name = "sda3", .minor = 3, .disk = "sda"},
              swap_content({.page_bytes = page_bytes, .signature = "ULSUSPEND"}));
    const auto search = find_resume_area({}, {}, fresh.host());
    ASSERT_TRUE(search) << search.error().what();
    EXPECT_EQ(search->target.path, fresh.node("sda3"));
    EXPECT_EQ(search->target.device_number, ::gnu_dev_makedev(8, 3));
    EXPECT_THAT(search->notes, ElementsAre(StartsWith("nothing was named;")));
  }
}

TEST_F(ResumeArea, WhereTheToldAreaIsPlainSwapTheMarkIsSought) {
  add_two();
  machine_.add({.name = "sdb", .minor = 16}, swap_content({.signature = "ULSUSPEND"}));
  machine_.file("proc/cmdline", "resume=/dev/sda2\n");
  EXPECT_EQ(text(find_resume()), "/dev/sdb");
  EXPECT_EQ(text(find_resume({.resume_device = "/dev/sda2"})), "/dev/sda2") << "named is named";
  machine_.break_node("sda2", EIO);
  EXPECT_EQ(text(find_resume()), "/dev/sda2") << "there may be an image on it";
  machine_.file("proc/cmdline", "quiet\n");
  machine_.file("sys/power/resume", "8:3\n");
  EXPECT_EQ(text(find_resume()), "/dev/sdb");
  for (const char* mark : {"S1SUSPEND", "ULSUSPEND"}) {
    machine_.add({.name = std::string("sd") + mark[0], .minor = mark[0] == 'S' ? 32U : 48U},
                 swap_content({.signature = mark}));
    machine_.file("sys/power/resume", mark[0] == 'S' ? "8:32\n" : "8:48\n");
    EXPECT_EQ(text(find_resume()), std::string("/dev/sd") + mark[0]) << "it holds somebody's image";
  }
}

TEST_F(ResumeArea, SeveralMarksAreListedAndNoneIsTaken) {
  machine_.add({.name = "sda"}, swap_content({.signature = "ULSUSPEND"}));
  machine_.add({.name = "sdb", .minor = 16}, swap_content({.signature = "ULSUSPEND"}));
  const auto search = find_resume();
  ASSERT_FALSE(search);
  EXPECT_EQ(search.error().code, Errc::kUsage);
  EXPECT_EQ(text(search),
            "look for an image: 2 areas hold one: /dev/sda, /dev/sdb. Name the one that is meant as "
            "--resume-device");
}

TEST_F(ResumeArea, AMirrorWithAMarkIsOneArea) {
  machine_.add({.name = "sda"}, swap_content({.signature = "ULSUSPEND"}));
  machine_.add({.name = "sdb", .minor = 16}, swap_content({.signature = "ULSUSPEND"}));
  machine_.add({.name = "md0", .major = 9, .slaves = {"sda", "sdb"}},
               swap_content({.signature = "ULSUSPEND"}));
  EXPECT_EQ(text(find_resume()), "/dev/md0");
}

TEST_F(ResumeArea, NoMarkIsFoundWhereNoneIsSought) {
  machine_.add({.name = "sda"}, swap_content());
  machine_.add({.name = "sdb", .minor = 16, .removable = true}, swap_content({.signature = "ULSUSPEND"}));
  machine_.add({.name = "sdc", .minor = 32, .bus = "pci0/usb2/2-1"},
               swap_content({.signature = "ULSUSPEND"}));
  machine_.add({.name = "loop0", .major = 7}, swap_content({.signature = "ULSUSPEND"}));
  machine_.add({.name = "zram0", .major = 252}, swap_content({.signature = "ULSUSPEND"}));
  machine_.add({.name = "sdd", .minor = 48}, swap_content({.signature = "S1SUSPEND"}));
  const auto search = find_resume();
  ASSERT_FALSE(search);
  EXPECT_EQ(search.error().code, Errc::kNoImage);
  EXPECT_EQ(text(search), "look for an image: no block device on a fixed disk holds one");
}

TEST_F(ResumeArea, ADeadDiskDoesNotEndTheSearch) {
  machine_.add({.name = "sda"}, swap_content());
  machine_.break_node("sda", EIO);
  machine_.add({.name = "sr0", .major = 11});
  machine_.break_node("sr0", ENOMEDIUM);
  EXPECT_THAT(text(find_resume()), HasSubstr("not read: /dev/sda (Input/output error)"));
  machine_.add({.name = "sdb", .minor = 16}, swap_content({.signature = "ULSUSPEND"}));
  const auto search = find_resume();
  EXPECT_EQ(text(search), "/dev/sdb");
  EXPECT_THAT(notes(search), ElementsAre(HasSubstr("/dev/sdb holds an image"), HasSubstr("skipped: ")));
}

TEST_F(ResumeArea, NoFailedCallOfAResumeLeadsAstray) {
  machine_.add({.name = "sda"}, swap_content());
  machine_.add({.name = "sdb", .minor = 16}, swap_content({.signature = "ULSUSPEND"}));
  const auto calls_before = machine_.calls().faults().calls().size();
  ASSERT_EQ(text(find_resume()), "/dev/sdb");
  const auto calls = machine_.calls().faults().calls().size() - calls_before;
  for (std::size_t call = 0; call < calls; ++call) {
    for (const int errnum : {EIO, EINTR, ENOMEM}) {
      machine_.calls().faults().fail_call(machine_.calls().faults().calls().size() + call, errnum);
      const auto search = find_resume();
      if (search) {
        EXPECT_EQ(text(search), "/dev/sdb") << "call " << call;
      } else {
        EXPECT_NE(errnum, EINTR) << "call " << call << ": " << text(search);
        EXPECT_EQ(search.error().code, Errc::kNoImage) << "call " << call;
        EXPECT_THAT(text(search), HasSubstr("not read: ")) << "call " << call;
      }
    }
  }
}

}  // namespace
}  // namespace dormouse::test
