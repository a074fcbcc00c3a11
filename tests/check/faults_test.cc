/// Each fault by itself is found, and nothing but it; what is then said is reviewed as text
/// (check_messages.txt).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "check/finding_ids.h"
#include "check/sound_tree.h"
#include "kernel/machine_info.h"

namespace dormouse::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Fault {
  std::string name;
  std::string_view id;
  std::function<void(SoundTree&)> plant;
};

void offset_of_a_swap_file(SoundTree& tree) {
  tree.search->target.header_page = 8;
  tree.search->target.swap_file = "/swapfile";
  std::filesystem::resize_file(tree.area(), (std::uintmax_t{1} << 30) + 8 * 4096);
  std::fstream file(tree.area(), std::ios::in | std::ios::out | std::ios::binary);
  std::string page(4096, '\0');
  file.read(page.data(), 4096);
  file.seekp(8 * 4096);
  file << page;
}

std::vector<Fault> kernel_faults() {
  return {
      {"not root", finding::kNotRoot, [](SoundTree& tree) { tree.root = false; }},
      {"a kernel without hibernation", finding::kHibernationMissing,
       [](SoundTree& tree) { tree.remove("sys/power/disk"); }},
      {"disabled, nobody knows why", finding::kHibernationDisabled,
       [](SoundTree& tree) { tree.write("sys/power/disk", "[disabled]\n"); }},
      {"disabled by CXL memory", finding::kHibernationDisabled,
       [](SoundTree& tree) {
         tree.write("sys/power/disk", "[disabled]\n");
         tree.write("sys/bus/cxl/devices/mem0/serial", "1\n");
       }},
      {"nohibernate", finding::kNohibernate,
       [](SoundTree& tree) {
         tree.write("sys/power/disk", "[disabled]\n");
         tree.write("proc/cmdline", "quiet nohibernate\n");
       }},
      {"hibernate=no", finding::kNohibernate,
       [](SoundTree& tree) {
         tree.write("sys/power/disk", "[disabled]\n");
         tree.write("proc/cmdline", "hibernate=no quiet\n");
       }},
      {"lockdown", finding::kLockdown,
       [](SoundTree& tree) {
         tree.write("sys/power/disk", "[disabled]\n");
         tree.write("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
       }},
      {"secret memory in an open file", finding::kSecretMemory,
       [](SoundTree& tree) {
         tree.write("sys/power/disk", "[disabled]\n");
         tree.process(812, "keeper");
         tree.link("proc/812/fd/5", "/secretmem (deleted)");
       }},
      {"secret memory that is only mapped", finding::kSecretMemory,
       [](SoundTree& tree) {
         tree.write("sys/power/disk", "[disabled]\n");
         tree.process(812, "keeper");
         tree.write("proc/812/maps",
                    "7f00000-7f01000 r--p 00000000 fe:01 12  /lib/libc.so\n"
                    "7f10000-7f11000 rw-s 00000000 00:0f 9  /secretmem (deleted)\n");
       }},
      {"no snapshot device in the kernel", finding::kSnapshotMissing,
       [](SoundTree& tree) {
         tree.remove("dev/snapshot");
         tree.remove("sys/class/misc");
       }},
      {"no node for the snapshot device", finding::kSnapshotMissing,
       [](SoundTree& tree) { tree.remove("dev/snapshot"); }},
      {"the snapshot device is open", finding::kSnapshotBusy,
       [](SoundTree& tree) {
         tree.process(77, "uswsusp");
         tree.link("proc/77/fd/3", "/dev/snapshot");
       }},
      {"pm_test", finding::kPmTest,
       [](SoundTree& tree) { tree.write("sys/power/pm_test", "none core [devices] freezer\n"); }},
      {"no firmware hooks", finding::kMethodFallback,
       [](SoundTree& tree) { tree.write("sys/power/disk", "[shutdown] reboot\n"); }},
      {"no suspend to RAM", finding::kMethodMissing,
       [](SoundTree& tree) {
         tree.settings.shutdown_method = ShutdownMethod::kSuspend;
         tree.write("sys/power/state", "freeze disk\n");
       }},
      {"FUSE", finding::kFuse,
       [](SoundTree& tree) {
         tree.write("proc/self/mountinfo",
                    "22 1 254:1 / / rw - ext4 /dev/vda1 rw\n"
                    "40 22 0:40 / /mnt/box rw,nosuid - fuse.sshfs me@box: rw\n"
                    "41 22 0:41 / /sys/fs/fuse/connections rw - fusectl fusectl rw\n");
       }},
  };
}

std::vector<Fault> settings_faults() {
  return {
      {"a report file in no directory", finding::kReportFile,
       [](SoundTree& tree) { tree.settings.report_file = "/nowhere/report"; }},
      {"a report file that is a directory", finding::kReportFile,
       [](SoundTree& tree) { tree.settings.report_file = "/dev"; }},
      {"a key file that is not there", finding::kKeyFile,
       [](SoundTree& tree) {
         tree.settings.encrypt.on = true;
         tree.settings.key_files = {"/etc/suspend.key"};
       }},
      {"a key file that is none", finding::kKeyFile,
       [](SoundTree& tree) {
         tree.settings.encrypt.on = true;
         tree.settings.key_files = {"/etc/suspend.key"};
         tree.write("etc/suspend.key", "secret\n");
       }},
      {"an image size above the limit", finding::kSizeAboveLimit,
       [](SoundTree& tree) {
         tree.settings.image_size = {.unit = ImageSize::Unit::kRamMillionths, .value = 900'000};
       }},
      {"more threads than processors", finding::kManyThreads,
       [](SoundTree& tree) { tree.settings.threads = usable_cpus() + 1; }},
  };
}

std::vector<Fault> area_faults() {
  return {
      {"no swap", finding::kAreaNotFound,
       [](SoundTree& tree) {
         tree.search = fail(Errc::kImpossible, "find swap area").because("no swap is on");
       }},
      {"a device that cannot be looked at", finding::kAreaUnreadable,
       [](SoundTree& tree) {
         tree.search = fail(Errc::kIo, "read").on("/dev/vda2").at(4096).os(EIO).because("it fails");
       }},
      {"the device is gone", finding::kAreaUnreadable, [](SoundTree& tree) { tree.remove("dev/vda2"); }},
      {"no swap header", finding::kNoSignature, [](SoundTree& tree) { tree.header(4096, "NOTHING   "); }},
      {"an offset behind the device", finding::kNoSignature,
       [](SoundTree& tree) { tree.search->target.header_page = 1'000'000'000; }},
      {"another page size", finding::kPageSize, [](SoundTree& tree) { tree.header(16384, "SWAPSPACE2"); }},
      {"an image of ours", finding::kHoldsImage,
       [](SoundTree& tree) { tree.header(4096, std::string_view("ULSUSPEND\0", 10)); }},
      {"an image of the kernel's", finding::kHoldsImage,
       [](SoundTree& tree) { tree.header(4096, std::string_view("S1SUSPEND\0", 10)); }},
      {"a swap file that is off", finding::kNotActive,
       [](SoundTree& tree) {
         offset_of_a_swap_file(tree);
         tree.search->target.active = false;
       }},
      {"a stale offset", finding::kStaleOffset,
       [](SoundTree& tree) {
         offset_of_a_swap_file(tree);
         tree.settings.resume_offset_pages = 34816;
         tree.search->notes = {"resume offset = 34816 is out of date: /swapfile begins at page 8 now"};
         tree.settings.origins[static_cast<std::size_t>(Key::kResumeOffset)] = {Origin::Kind::kFile,
                                                                                "/etc/suspend.conf:2"};
       }},
      {"a removable disk", finding::kRemovable,
       [](SoundTree& tree) {
         tree.search->target.device_number = makedev(8, 17);
         tree.write("sys/devices/sdb/removable", "1\n");
         tree.write("sys/devices/sdb/sdb1/partition", "1\n");
         tree.link("sys/dev/block/8:17", "../../devices/sdb/sdb1");
       }},
      {"an area was passed over", finding::kPassedOver,
       [](SoundTree& tree) {
         tree.search->passed_over = {{.path = "/dev/zram0", .reason = "it is memory itself"}};
       }},
      {"a name became something", finding::kAreaName,
       [](SoundTree& tree) { tree.search->notes = {"LABEL=swap is /dev/vda2"}; }},
  };
}

std::vector<Fault> room_faults() {
  return {
      {"a swap area of 16 MiB", finding::kTooSmall, [](SoundTree& tree) { tree.swaps(16'384, 0); }},
      {"a swap area that is full", finding::kTooSmall,
       [](SoundTree& tree) { tree.swaps(1'048'572, 1'000'000); }},
      {"a swap area with little to spare", finding::kTight, [](SoundTree& tree) { tree.swaps(215'000, 0); }},
      {"a swap area that only a stronger codec fits", finding::kTight,
       [](SoundTree& tree) { tree.swaps(180'000, 0); }},
      {"a swap file in too many pieces", finding::kFragmented,
       [](SoundTree& tree) {
         tree.search->target.swap_file = "/swapfile";
         tree.extents = 20'000;
       }},
      {"memory in use beyond the limit", finding::kTooMuchInUse,
       [](SoundTree& tree) {
         tree.memory("MemFree", 100'000);
         tree.memory("Active(anon)", 20'000);
         tree.memory("Inactive(anon)", 20'000);
       }},
      {"little memory for ourselves", finding::kTooLittleMemory,
       [](SoundTree& tree) { tree.memory("MemAvailable", 20'000); }},
  };
}

std::vector<Fault> all_faults() {
  std::vector<Fault> all;
  for (auto part : {kernel_faults(), settings_faults(), area_faults(), room_faults()}) {
    for (Fault& fault : part) all.push_back(std::move(fault));
  }
  return all;
}

TEST(Faults, ASoundMachineHasNothingToFix) {
  SoundTree tree;
  const auto check = tree.check();
  EXPECT_THAT(unusual(check), IsEmpty()) << check_text(check);
  EXPECT_EQ(check.findings.size(), 3U);
  EXPECT_EQ(check.exit_code(), 0);
  EXPECT_TRUE(check_text(check).ends_with("nothing to fix: this machine can hibernate\n"));
}

TEST(Faults, EachIsFoundAndNothingElse) {
  for (const Fault& fault : all_faults()) {
    SoundTree tree;
    fault.plant(tree);
    const auto check = tree.check();
    EXPECT_THAT(unusual(check), ElementsAre(fault.id)) << fault.name << "\n" << check_text(check);
    const auto kind = std::ranges::find(kFindingKinds, fault.id, &FindingKind::id);
    EXPECT_EQ(check.exit_code(), kind->severity == Finding::Severity::kProblem ? 6 : 0) << fault.name;
  }
}

TEST(Faults, WhatIsSaidIsReviewed) {
  SoundTree sound;
  std::string all = "nothing\n" + sound.without_root(check_text(sound.check()));
  for (const Fault& fault : all_faults()) {
    SoundTree tree;
    fault.plant(tree);
    const auto check = tree.check();
    all += "\n" + fault.name + "\n";
    for (const Finding& found : check.findings) {
      // How many processors there are is the test machine's affair.
      if (found.id != fault.id || found.id == finding::kManyThreads) continue;
      all += tree.without_root(fmt::format("  {}: {}\n", severity_name(found.severity), found.what));
      if (!found.remedy.empty()) all += tree.without_root(fmt::format("      {}\n", found.remedy));
    }
  }
  const std::string golden = std::string(CHECK_DIRECTORY) + "/check_messages.txt";
  if (std::getenv("DORMOUSE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(golden) << all;
    return;
  }
  EXPECT_EQ(all, read_whole(golden)) << "run it with DORMOUSE_UPDATE_GOLDEN=1 and review what changed";
}

TEST(Faults, EveryKindHasAFaultOrIsOnEverySoundMachine) {
  std::set<std::string_view> seen = {finding::kArea, finding::kRoom, finding::kMemory};
  for (const Fault& fault : all_faults()) seen.insert(fault.id);
  for (const FindingKind& kind : kFindingKinds) EXPECT_TRUE(seen.contains(kind.id)) << kind.id;
  EXPECT_EQ(seen.size(), kFindingKinds.size());
}

TEST(Faults, SeveralAreFoundAtOnceProblemsFirst) {
  SoundTree tree;
  tree.search->passed_over = {{.path = "/dev/zram0", .reason = "it is memory itself"}};
  tree.settings.report_file = "/nowhere/report";
  tree.swaps(16'384, 0);
  tree.write("sys/power/pm_test", "none [core]\n");
  tree.write("sys/power/disk", "[disabled]\n");
  tree.write("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
  tree.write("proc/cmdline", "nohibernate\n");
  const auto check = tree.check();
  EXPECT_THAT(unusual(check), ElementsAre(finding::kNohibernate, finding::kLockdown, finding::kPmTest,
                                          finding::kTooSmall, finding::kReportFile, finding::kPassedOver));
  EXPECT_TRUE(
      check_text(check).ends_with("4 problems and 1 warning: this machine cannot hibernate as it is\n"));
}

TEST(Faults, WhatTheNextBootWillDoIsAskedForTheAreaThatWasFound) {
  SoundTree tree;
  std::string asked;
  tree.boot = [&](const CheckSubject& subject) -> Findings {
    asked = subject.target ? subject.target->path : "none";
    return {{.severity = Finding::Severity::kProblem, .id = "boot-test", .what = "it", .remedy = "mend it"}};
  };
  const auto check = tree.check();
  EXPECT_EQ(asked, tree.area());
  EXPECT_THAT(unusual(check), ElementsAre("boot-test"));
  EXPECT_EQ(check.exit_code(), 6);
  tree.search = fail(Errc::kImpossible, "find swap area").because("no swap is on");
  (void)tree.check();
  EXPECT_EQ(asked, "none");
}

TEST(Faults, TheManualListsEveryId) {
  const std::string page = read_whole(S2DISK_PAGE);
  for (const FindingKind& kind : kFindingKinds) {
    EXPECT_NE(page.find(fmt::format(".It Li {} Ta {} Ta {}\n", kind.id, severity_name(kind.severity),
                                    kind.meaning)),
              std::string::npos)
        << kind.id;
  }
}

}  // namespace
}  // namespace dormouse::test
