/// Each fault of a boot by itself is found, and nothing but it.
#include "check/boot_checks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "check/boot_finding_ids.h"
#include "check/sound_boot.h"
#include "support/newc_writer.h"

namespace dormouse::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct BootFault {
  std::string name;
  std::string_view id;
  std::function<void(SoundBoot&)> plant;
};

std::string hibernate_location(const std::string& text) {
  std::string bytes("\7\0\0\0", 4);
  for (const char c : text) {
    bytes += c;
    bytes += '\0';
  }
  return bytes;
}
constexpr const char* kLocation =
    "sys/firmware/efi/efivars/HibernateLocation-8cf2644b-4b0b-428f-9387-6d876050dc67";

std::vector<BootFault> initramfs_faults() {
  return {
      {"the initramfs is gone", finding::kBootInitramfsMissing,
       [](SoundBoot& boot) {
         boot.machine.file("boot/grub/grub.cfg",
                           "menuentry 'a' {\n linux /vmlinuz-1 quiet\n initrd /initrd.img-1\n}\n");
       }},
      {"the initramfs is damaged", finding::kBootInitramfsUnreadable,
       [](SoundBoot& boot) { boot.machine.file("boot/initrd.img-6.1.0-40-amd64", "no archive at all"); }},
      {"no initramfs at all", finding::kBootNoInitramfs,
       [](SoundBoot& boot) {
         boot.machine.file("boot/grub/grub.cfg", "menuentry 'a' {\n linux /vmlinuz-1 quiet\n}\n");
       }},
      {"no resume in it", finding::kBootNoResume, [](SoundBoot& boot) { boot.initramfs({.resume = false}); }},
      {"systemd's resume instead of ours", finding::kBootNoResume,
       [](SoundBoot& boot) { boot.initramfs({.resume = false, .systemd = true}); }},
      {"resume may not be run", finding::kBootResumeNotExecutable,
       [](SoundBoot& boot) { boot.initramfs({.resume_mode = 0100644}); }},
      {"made by others", finding::kBootStartUnknown,
       [](SoundBoot& boot) { boot.initramfs({.script = false, .order = "", .initramfs_tools = false}); }},
      {"no script", finding::kBootScriptMissing, [](SoundBoot& boot) { boot.initramfs({.script = false}); }},
      {"a script that may not be run", finding::kBootScriptNotRun,
       [](SoundBoot& boot) { boot.initramfs({.script_mode = 0100644}); }},
      {"a script that nobody calls", finding::kBootScriptNotRun,
       [](SoundBoot& boot) { boot.initramfs({.order = "/scripts/local-premount/resume\n"}); }},
      {"no configuration in it", finding::kBootConfigMissing,
       [](SoundBoot& boot) { boot.initramfs({.has_config = false}); }},
      {"a configuration with an error", finding::kBootConfigUnreadable,
       [](SoundBoot& boot) { boot.initramfs({.config = "image size = much\n"}); }},
      {"a configuration from before the area was changed", finding::kBootOtherArea,
       [](SoundBoot& boot) { boot.initramfs({.config = "resume device = /dev/vda3\n"}); }},
      {"an offset from before the file was made anew", finding::kBootOtherArea,
       [](SoundBoot& boot) { boot.initramfs({.config = "resume device = /dev/vda2\nresume offset = 8\n"}); }},
      {"a device that is not there", finding::kBootOtherArea,
       [](SoundBoot& boot) { boot.initramfs({.config = "resume device = /dev/sdz1\n"}); }},
      {"a place noted before the file was made anew", finding::kBootOtherArea,
       [](SoundBoot& boot) {
         boot.target.header_page = 34816;
         boot.initramfs({.config = "resume device = /swapfile\n", .noted_offset = "4711\n"});
       }},
      {"the path of a swap file", finding::kBootNamesFile,
       [](SoundBoot& boot) {
         boot.machine.file("swapfile", "x");
         boot.initramfs({.config = "resume device = /swapfile\n"});
       }},
  };
}

std::vector<BootFault> line_faults() {
  // Nothing but the command line says where the image is.
  const auto silent = [](SoundBoot& boot) { boot.initramfs({.config = "image size = 1G\n"}); };
  return {
      {"noresume", finding::kBootNoresume, [](SoundBoot& boot) { boot.line("quiet noresume"); }},
      {"nohibernate in the entry", finding::kBootNohibernate,
       [](SoundBoot& boot) { boot.line("nohibernate"); }},
      {"an offset that is no number", finding::kBootLineUnreadable,
       [](SoundBoot& boot) { boot.line("resume=/dev/vda2 resume_offset=36151296.."); }},
      {"resume= leads to another area", finding::kBootLineOtherArea,
       [=](SoundBoot& boot) {
         silent(boot);
         boot.line("resume=/dev/vda3");
       }},
      {"resume= leads nowhere", finding::kBootLineOtherArea,
       [=](SoundBoot& boot) {
         silent(boot);
         boot.line("resume=/dev/sdz9");
       }},
      {"RESUME= of initramfs-tools leads nowhere", finding::kBootLineOtherArea,
       [](SoundBoot& boot) { boot.initramfs({.config = "", .settings = "RESUME=/dev/sdz9\n"}); }},
      {"a stale offset", finding::kBootLineOffset,
       [=](SoundBoot& boot) {
         silent(boot);
         boot.target.header_page = 34816;
         boot.line("resume=/dev/vda2 resume_offset=4711");
       }},
      {"a swap file that nothing names", finding::kBootNothingNamed,
       [=](SoundBoot& boot) {
         silent(boot);
         boot.target.header_page = 34816;
       }},
      {"a stock image elsewhere comes first", finding::kBootStockFirst,
       [](SoundBoot& boot) {
         boot.machine.add({.name = "vda4", .major = 254, .minor = 4, .disk = "vda"},
                          swap_content({.signature = "S1SUSPEND"}));
         boot.line("resume=/dev/vda4");
       }},
      {"the firmware leads elsewhere", finding::kBootEfiElsewhere,
       [](SoundBoot& boot) {
         boot.machine.file(kLocation, hibernate_location(R"({"uuid":"0000-1111","offset":0})"));
       }},
      {"the firmware's word cannot be understood", finding::kBootEfiUnreadable,
       [](SoundBoot& boot) { boot.machine.file(kLocation, hibernate_location("gone")); }},
  };
}

std::vector<BootFault> all_faults() {
  auto all = initramfs_faults();
  std::ranges::move(line_faults(), std::back_inserter(all));
  return all;
}

class BootChecks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!FakeMachine::possible()) GTEST_SKIP() << "device nodes can only be made by root";
  }
};

TEST_F(BootChecks, NothingIsWrongWithASoundBoot) {
  SoundBoot boot;
  EXPECT_THAT(boot.unusual(), IsEmpty());
  const Findings findings = boot.check();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].id, finding::kBoot);
  EXPECT_THAT(findings[0].what, HasSubstr("initrd.img-6.1.0-40-amd64"));
}

TEST_F(BootChecks, EveryFaultIsFoundAndNothingElse) {
  for (const BootFault& fault : all_faults()) {
    SoundBoot boot;
    fault.plant(boot);
    EXPECT_THAT(boot.unusual(), ElementsAre(std::string(fault.id))) << fault.name;
  }
}

TEST_F(BootChecks, WhatIsHarmlessIsNotCalledAFault) {
  SoundBoot boot;
  // The stock kernel leaves a mark alone that it does not know, and ours goes by its configuration.
  boot.line("resume=/dev/vda2");
  EXPECT_THAT(boot.unusual(), IsEmpty());
  boot.line("resume=/dev/vda3");
  EXPECT_THAT(boot.unusual(), IsEmpty());
  boot.initramfs({.systemd = true});
  EXPECT_THAT(boot.unusual(), IsEmpty());
  // A swap file by its path: the hook has noted the place.
  boot.target.header_page = 34816;
  boot.initramfs({.config = "resume device = /swapfile\n", .noted_offset = "34816\n"});
  EXPECT_THAT(boot.unusual(), IsEmpty());
  boot.target.header_page = 0;
  // Nothing named at all: found by its mark.
  boot.line("quiet");
  boot.initramfs({.config = ""});
  EXPECT_THAT(boot.unusual(), IsEmpty());
}

TEST_F(BootChecks, TheRunningKernelsEntryIsLookedAtToo) {
  SoundBoot boot;
  boot.machine.file("boot/initrd.img-6.1.0-39-amd64", NewcWriter().directory("scripts").finish());
  boot.machine.file(
      "boot/grub/grub.cfg",
      "set default=1\nmenuentry 'old' {\n linux /vmlinuz-6.1.0-39-amd64\n initrd "
      "/initrd.img-6.1.0-39-amd64\n}\n"
      "menuentry 'new' {\n linux /vmlinuz-6.1.0-40-amd64\n initrd /initrd.img-6.1.0-40-amd64\n}\n");
  EXPECT_THAT(boot.unusual(), IsEmpty());
  boot.machine.file("proc/sys/kernel/osrelease", "6.1.0-39-amd64\n");
  EXPECT_THAT(boot.unusual(), ElementsAre("boot-no-resume"));
}

TEST_F(BootChecks, WithoutAKnownLoaderTheRunningKernelIsLookedAt) {
  SoundBoot boot;
  std::filesystem::remove_all(boot.machine.path("boot/grub"));
  const Findings findings = boot.check();
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].id, finding::kBootLoaderUnknown);
  EXPECT_EQ(findings[1].id, finding::kBoot);
  boot.machine.file("proc/cmdline", "quiet noresume\n");
  EXPECT_THAT(boot.unusual(), ElementsAre("boot-noresume"));
}

TEST_F(BootChecks, WithoutAnAreaOnlyWhatDoesNotDependOnIt) {
  SoundBoot boot;
  boot.initramfs({.config = "resume device = /dev/sdz1\n"});
  const Host host = boot.machine.host();
  const Findings findings = check_boot({.settings = boot.settings, .host = host});
  EXPECT_EQ(std::ranges::count(findings, Finding::Severity::kProblem, &Finding::severity), 0);
}

TEST_F(BootChecks, EveryIdHasAFaultThatPlantsItAndALineInTheManual) {
  std::set<std::string> planted;
  for (const BootFault& fault : all_faults()) planted.emplace(fault.id);
  const std::string manual = read_whole(S2DISK_PAGE);
  for (const FindingKind& kind : kBootFindingKinds) {
    const std::string id(kind.id);
    EXPECT_THAT(manual, HasSubstr(fmt::format(".It Li {} Ta {} Ta {}\n", id, severity_name(kind.severity),
                                              kind.meaning)));
    if (kind.severity == Finding::Severity::kNote || kind.id == finding::kBootMenuUnreadable) continue;
    EXPECT_TRUE(planted.contains(id)) << id;
  }
}

TEST_F(BootChecks, AMenuThatCannotBeReadIsSaid) {
  SoundBoot boot;
  boot.machine.calls().faults().fail_name_after("open", 1, EIO);
  const Findings findings = boot.check();
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].id, finding::kBootMenuUnreadable);
}

// What is said is reviewed as text; DORMOUSE_UPDATE_GOLDEN=1 writes it anew.
TEST_F(BootChecks, WhatIsSaidIsReviewed) {
  std::string text;
  for (const BootFault& fault : all_faults()) {
    SoundBoot boot;
    fault.plant(boot);
    for (const Finding& finding : boot.check()) {
      if (finding.severity == Finding::Severity::kNote) continue;
      text += boot.machine.short_text(
          fmt::format("# {}\n{}: {}\n  {}\n", fault.name, finding.id, finding.what, finding.remedy));
    }
  }
  const std::string path = CHECK_DIRECTORY "/boot_messages.txt";
  if (std::getenv("DORMOUSE_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  EXPECT_EQ(text, read_whole(path)) << "run it with DORMOUSE_UPDATE_GOLDEN=1 and review what changed";
}

}  // namespace
}  // namespace dormouse::test
