/// Every system call of a suspend fails with every errno it can give, once and for ever, at every place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>

#include "fault/places.h"
#include "fault/suspend_bed.h"
#include "support/message_list.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;

const std::vector<CallErrors> kCalls = {
    {"open", {EINTR, EACCES, EIO, EMFILE, ENOMEM, EBUSY, EPERM, ENOENT}},
    {"close", {EINTR, EIO}},
    {"pread", {EINTR, EIO, ENOMEM}},
    {"pwrite", {EINTR, EIO, ENOSPC, ETXTBSY}},
    {"fdatasync", {EINTR, EIO, ENOSPC}},
    {"readv", {EINTR, EIO, ENODATA, EFAULT, ENOMEM}},
    {"mlockall", {ENOMEM, EPERM, EAGAIN}},
    {"reboot", {EPERM, EINVAL}},
    {"SNAPSHOT_SET_SWAP_AREA", {EINTR, EPERM, ENODEV, EINVAL, EBUSY, EFAULT}},
    {"SNAPSHOT_AVAIL_SWAP_SIZE", {EINTR, EPERM, EBUSY}},
    {"SNAPSHOT_ALLOC_SWAP_PAGE", {EINTR, EPERM, ENODEV, ENOSPC, EBUSY}},
    {"SNAPSHOT_FREE_SWAP_PAGES", {EINTR, EPERM, ENODEV, EBUSY}},
    {"SNAPSHOT_PREF_IMAGE_SIZE", {EINTR, EPERM, EBUSY}},
    {"SNAPSHOT_PLATFORM_SUPPORT", {EINTR, EPERM, EBUSY}},
    {"SNAPSHOT_FREEZE", {EPERM, EBUSY, EAGAIN, ENOMEM}},
    {"SNAPSHOT_CREATE_IMAGE", {EPERM, ENOMEM, EBUSY, EIO}},
    {"SNAPSHOT_GET_IMAGE_SIZE", {EPERM, ENODATA, EBUSY}},
    {"SNAPSHOT_FREE", {EINTR, EPERM, EBUSY}},
    {"SNAPSHOT_UNFREEZE", {EINTR, EPERM, EBUSY}},
    {"SNAPSHOT_POWER_OFF", {EPERM, ENOSYS, EAGAIN, EBUSY}},
};

int expected_exit(const CallFault& fault) {
  // What may be locked is bounded; the call says EAGAIN.
  if (fault.name == "mlockall" && fault.errnum == EAGAIN) return 5;
  return fault.errnum == ENOMEM || fault.errnum == ENOSPC ? 5 : 1;
}

class SuspendFault : public ::testing::Test {
 protected:
  /// Which of the two allowed ends it was: as if nothing had happened, or told as it is.
  void judge(const SuspendAftermath& after, const CallFault& fault) {
    const std::string where = fmt::format("{}: [{}] {}", fault.text(), after.exit_code, after.message);
    const bool cleared = after.message.find("THE MARK MAY STILL BE ON THE DISK") == std::string::npos;
    // A mark is never left without a word; whether one that could not be flushed away is there, nobody can
    // know.
    if (cleared) {
      EXPECT_TRUE(after.header_as_before) << where;
      EXPECT_FALSE(after.marked) << where;
    }
    if (after.second) {
      EXPECT_EQ(after.second, std::pair(clean_.exit_code, clean_.message)) << "second try after " << where;
      ++tried_again_;
    }
    const std::string situation = fault.situation();
    if (after.message == clean_.message && after.exit_code == clean_.exit_code) {
      // Slots are asked for ahead of their need: whether the last of them is ever needed is a matter of
      // timing, and so it is whether a fault that lasts is met.
      if (fault.name == "SNAPSHOT_ALLOC_SWAP_PAGE" && fault.for_ever()) return;
      list_.add(situation,
                after.warnings.empty() ? "(nothing to see)" : "(went on) " + after.warnings.front());
      return;
    }
    ++told_;
    for (const std::string& warning : after.warnings) {
      if (warning.find("put back") != std::string::npos) list_.add(situation, "(warned) " + warning);
    }
    list_.add(situation, fmt::format("exit {}: {}", after.exit_code, after.message));
    // Named: the step, the object, the errno in words, and what to do about it.
    EXPECT_THAT(after.message, HasSubstr(std::strerror(fault.errnum))) << where;
    EXPECT_THAT(after.message, ::testing::MatchesRegex(".+: [A-Z].*: .{12,}")) << where;
    EXPECT_THAT(after.message, ::testing::Not(HasSubstr("Success"))) << where;
    EXPECT_TRUE(after.exit_code == 6 || after.exit_code == expected_exit(fault)) << where;
  }

  /// Every place of `call` with each of its errnos, once and for ever.
  void sweep(const CallErrors& call) {
    const auto count = static_cast<std::uint64_t>(std::ranges::count(clean_.calls, call.name));
    EXPECT_GT(count, 0U) << call.name << " is never called: the list is out of date";
    for (const CallFault& fault : faults_of(call, count)) {
      judge(bed_.run(fault), fault);
      ++tried_;
    }
  }

  void print_count(std::string_view what) const {
    std::cout << "faults of system calls in " << what << ": " << tried_ << " tried, " << told_
              << " ended it with a message, the others were overcome; after " << tried_again_
              << " of them a second try was made\n";
  }

  SuspendBed bed_;
  SuspendAftermath clean_;
  MessageList list_{FAULT_DIRECTORY "/suspend_messages.txt"};
  std::uint64_t tried_ = 0;
  std::uint64_t told_ = 0;
  std::uint64_t tried_again_ = 0;
};

TEST_F(SuspendFault, OfEveryCallWithEveryErrnoOnceAndForEver) {
  const CapturedStderr silent;
  clean_ = bed_.run();
  ASSERT_THAT(clean_.message, HasSubstr("returned without")) << "the fake machine does not go off";
  bed_.try_again = true;
  for (const CallErrors& call : kCalls) sweep(call);
  list_.compare();
  print_count("a suspend");
  EXPECT_GT(told_, tried_ / 3);
  EXPECT_GT(tried_again_, tried_ / 2);
  EXPECT_LT(told_, tried_);
}

// A rehearsal ends well, so that what fails on the way back is what is told.
TEST_F(SuspendFault, OnTheWayBackFromARehearsal) {
  const CapturedStderr silent;
  bed_.settings.shutdown_method = ShutdownMethod::kNone;
  bed_.settings.verify = true;
  list_ = MessageList(FAULT_DIRECTORY "/rehearsal_messages.txt");
  clean_ = bed_.run();
  ASSERT_EQ(clean_.message, "");
  bed_.try_again = true;
  for (const std::string_view name : {"SNAPSHOT_FREE", "SNAPSHOT_FREE_SWAP_PAGES", "SNAPSHOT_UNFREEZE",
                                      "pread", "pwrite", "fdatasync", "close"}) {
    sweep(*std::ranges::find(kCalls, name, &CallErrors::name));
  }
  list_.compare();
  print_count("a rehearsal");
  EXPECT_GT(tried_again_, tried_ / 2);
}

TEST_F(SuspendFault, CallsOfASuspendAreAllInTheList) {
  const CapturedStderr silent;
  clean_ = bed_.run();
  for (const std::string_view call : clean_.calls) {
    if (call == "munlockall") continue;  // fails only without the right that mlockall needed
    EXPECT_NE(std::ranges::find(kCalls, call, &CallErrors::name), kCalls.end()) << call;
  }
}

TEST_F(SuspendFault, ShortTransfersChangeNothing) {
  const CapturedStderr silent;
  clean_ = bed_.run();
  bed_.transfer_limit = 4096;
  const auto after = bed_.run();
  EXPECT_EQ(after.message, clean_.message);
  EXPECT_TRUE(after.header_as_before);
  EXPECT_GT(std::ranges::count(after.calls, "readv"), std::ranges::count(clean_.calls, "readv"));
}

TEST_F(SuspendFault, OfRoomIsOvercomeByAStrongerCodec) {
  const CapturedStderr silent;
  bed_.machine.image_pages = 2000;
  bed_.machine.swap_pages = 1200;
  bed_.settings.codec.spec = {.id = CodecId::kStored, .level = 0};
  const auto after = bed_.run();
  EXPECT_THAT(after.message, HasSubstr("returned without"));
  ASSERT_EQ(after.warnings.size(), 1U);
  EXPECT_EQ(after.warnings[0],
            "the swap area is too small: about 2001 pages are needed with none, 1198 are free. Trying once "
            "more with lz4:8, "
            "which should need about 1060");
  EXPECT_EQ(std::ranges::count(after.calls, "SNAPSHOT_CREATE_IMAGE"), 2);
  EXPECT_EQ(std::ranges::count(after.calls, "SNAPSHOT_FREEZE"), 2);
  EXPECT_TRUE(after.header_as_before);
}

TEST_F(SuspendFault, OfRoomIsToldWhereNothingHelps) {
  const CapturedStderr silent;
  bed_.machine.image_pages = 20000;
  bed_.machine.swap_pages = 1200;
  const auto after = bed_.run();
  EXPECT_EQ(after.exit_code, 5);
  EXPECT_THAT(after.message, HasSubstr("1198 are free"));
  ASSERT_EQ(after.warnings.size(), 1U);
  EXPECT_THAT(after.warnings[0], HasSubstr("with zstd:9 and an image of at most"));
  EXPECT_TRUE(after.header_as_before);
}

TEST_F(SuspendFault, OfMemoryIsTriedWithSmallerImagesThreeTimesAtMost) {
  const CapturedStderr silent;
  const auto after =
      bed_.run({.name = "SNAPSHOT_CREATE_IMAGE", .errnum = ENOMEM, .times = CallFault::kForEver});
  EXPECT_EQ(after.exit_code, 5);
  EXPECT_EQ(std::ranges::count(after.calls, "SNAPSHOT_CREATE_IMAGE"), 3);
  ASSERT_EQ(after.warnings.size(), 2U);
  EXPECT_THAT(after.warnings[1],
              HasSubstr("Trying again with 0, which is as small as it can be (try 3 of at most 3)"));
}

TEST_F(SuspendFault, WithBufferedWritingLeavesNothingEither) {
  const CapturedStderr silent;
  bed_.settings.io = IoMode::kBuffered;
  bed_.settings.early_writeout = {.millionths = 100'000};
  clean_ = bed_.run();
  for (const std::string_view name : {"sync_file_range", "pwrite", "fdatasync"})
    sweep({.name = name, .errnums = {EIO}});
  print_count("a suspend with buffered writing");
}

}  // namespace
}  // namespace dormouse::test
