/// Every system call of a boot with an image fails with every errno it can give, once and for ever, at every
/// place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>

#include "fault/boot_bed.h"
#include "fault/places.h"
#include "support/message_list.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<CallErrors> kCalls = {
    {"open", {EINTR, EACCES, EIO, EMFILE, ENOMEM, EBUSY, EPERM, ENOENT}},
    {"close", {EINTR, EIO}},
    {"pread", {EINTR, EIO, ENOMEM}},
    {"pwrite", {EINTR, EIO, EROFS}},
    {"fdatasync", {EINTR, EIO}},
    {"writev", {EINTR, EPERM, EFAULT, ENOMEM, EIO}},
    {"mlockall", {ENOMEM, EPERM}},
    {"SNAPSHOT_PLATFORM_SUPPORT", {EINTR, EPERM, EBUSY}},
    {"SNAPSHOT_FREEZE", {EPERM, EBUSY, EAGAIN, ENOMEM}},
    {"SNAPSHOT_ATOMIC_RESTORE", {EPERM, ENODATA, EBUSY, ENOMEM}},
    {"SNAPSHOT_FREE", {EINTR, EPERM, EBUSY}},
    {"SNAPSHOT_UNFREEZE", {EINTR, EPERM, EBUSY}},
};

class BootFault : public ::testing::Test {
 protected:
  void judge(const BootAftermath& after, const CallFault& fault) {
    const std::string where =
        fmt::format("{}: [{}] {}\n{}", fault.text(), after.exit_code, after.message, after.said);
    EXPECT_FALSE(after.marked_at_jump) << "it jumped with the mark on: " << where;
    // Only a machine that says so goes on with a mark.
    if (after.marked) {
      EXPECT_NE(after.exit_code, 0) << where;
      EXPECT_THAT(after.said, ::testing::AnyOf(HasSubstr("--discard"), HasSubstr("mkswap"))) << where;
    }
    if (after.jumped) {
      ++overcome_;
      list_.add(fault.situation(), "(the machine is back)");
      return;
    }
    // Not brought back: either kept for another boot, or given back, and told.
    EXPECT_THAT(after.said, Not(HasSubstr("Success"))) << where;
    EXPECT_FALSE(after.said.empty()) << where;
    if (after.restarted) {
      EXPECT_TRUE(after.marked_at_restart) << "it restarted without its image: " << where;
    }
    list_.add(fault.situation(), fmt::format("exit {}{}: {}", after.exit_code,
                                             after.restarted ? ", restarted" : "", after.message));
  }

  BootBed bed_;
  MessageList list_{FAULT_DIRECTORY "/boot_messages.txt"};
  std::uint64_t overcome_ = 0;
};

TEST_F(BootFault, OfEveryCallWithEveryErrnoOnceAndForEver) {
  const BootAftermath clean = bed_.run();
  ASSERT_TRUE(clean.jumped) << clean.said;
  std::uint64_t tried = 0;
  for (const auto& [name, errnums] : kCalls) {
    const auto count = static_cast<std::uint64_t>(std::ranges::count(clean.calls, name));
    EXPECT_GT(count, 0U) << name << " is never called: the list is out of date";
    for (const CallFault& fault : faults_of({name, errnums}, count)) {
      judge(bed_.run(fault), fault);
      ++tried;
    }
  }
  for (const std::string_view call : clean.calls) {
    if (call == "munlockall" || call == "reboot" || call == "ioctl") continue;
    EXPECT_NE(std::ranges::find(kCalls, call, &CallErrors::name), kCalls.end())
        << call << " is not in the list";
  }
  list_.compare();
  std::cout << "faults of system calls in a resume: " << tried << " tried, " << overcome_
            << " overcome, the others kept the image for another boot or gave the area back\n";
  EXPECT_GT(overcome_, 0U);
  EXPECT_LT(overcome_, tried);
}

TEST_F(BootFault, ShortTransfersChangeNothing) {
  bed_.transfer_limit = 4096;
  EXPECT_TRUE(bed_.run().jumped);
}

TEST_F(BootFault, ARunningSystemIsNotReplaced) {
  BootBed bed;
  bed.mount("25 1 254:1 / / rw - ext4 /dev/vda1 rw\n");
  const auto after = bed.run();
  EXPECT_FALSE(after.jumped);
  EXPECT_FALSE(after.restarted);
  EXPECT_TRUE(after.marked) << "the image is nobody's to touch";
  EXPECT_EQ(after.exit_code, 6);
  EXPECT_THAT(after.said, HasSubstr("/dev/vda1 on / is mounted"));
}

}  // namespace
}  // namespace dormouse::test
