/// Every call of a suspend fails in turn: each time the machine goes on as if nothing had happened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cycle/cycle_bed.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;

TEST(SuspendFailure, OfEverySnapshotCallLeadsBack) {
  for (const auto method : {ShutdownMethod::kShutdown, ShutdownMethod::kNone, ShutdownMethod::kSuspend}) {
    for (std::uint64_t call = 1;; ++call) {  // call 0 chose the swap area
      CycleBed bed;
      bed.kernel.faults().fail_call(call, EIO);
      const auto ended = bed.suspend({.method = method});
      if (!bed.kernel.faults().fired()) {
        EXPECT_GT(call, 40U);
        break;
      }
      const std::string_view failed = bed.kernel.calls()[call];
      SCOPED_TRACE(fmt::format("call {}, {}", call, failed));
      // A slot that could not be had ends a run of slots early; the next call meets the error again, or finds
      // it gone. On the way back all is asked for twice.
      const bool overcome = failed == "SNAPSHOT_ALLOC_SWAP_PAGE" || failed == "SNAPSHOT_FREE" ||
                            failed == "SNAPSHOT_FREE_SWAP_PAGES" || failed == "SNAPSHOT_UNFREEZE";
      const bool may_succeed = overcome && method != ShutdownMethod::kShutdown;
      if (!may_succeed) {
        ASSERT_FALSE(ended);
        EXPECT_FALSE(ended.error().operation.empty());
      }
      bed.expect_running_system(failed);
    }
  }
}

TEST(SuspendFailure, OfTheSameCallForEverLeadsBack) {
  for (const std::string_view name :
       {"SNAPSHOT_PLATFORM_SUPPORT", "SNAPSHOT_PREF_IMAGE_SIZE", "SNAPSHOT_FREEZE", "SNAPSHOT_CREATE_IMAGE",
        "SNAPSHOT_GET_IMAGE_SIZE", "read", "SNAPSHOT_ALLOC_SWAP_PAGE", "SNAPSHOT_FREE",
        "SNAPSHOT_FREE_SWAP_PAGES"}) {
    SCOPED_TRACE(name);
    CycleBed bed;
    bed.kernel.faults().fail_name(name, ENOMEM, 1'000'000);
    const auto ended = bed.suspend({.method = ShutdownMethod::kNone});
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().operation, name == "read" ? "read" : name);
    bed.expect_running_system(name);
  }
}

TEST(SuspendFailure, OfEveryWriteOfTheImageLeadsBack) {
  for (const bool for_ever : {false, true}) {
    for (std::uint64_t call = 0;; ++call) {
      CycleBed bed({.device_fault = {.fail_at_call = call, .fail_for_ever = for_ever}});
      const auto ended = bed.suspend({.method = ShutdownMethod::kNone});
      SCOPED_TRACE(fmt::format("call {} of the device, for ever: {}", call, for_ever));
      bed.expect_running_system();
      if (!bed.faulty_device.fired()) {
        EXPECT_TRUE(ended);
        break;
      }
      EXPECT_FALSE(ended);
    }
  }
}

// Once only: the mark can be taken off, and it must be gone.
TEST(SuspendFailure, OfEveryCallOnTheSwapHeaderLeavesNoMark) {
  for (std::uint64_t call = 1;; ++call) {
    CycleBed bed({.area_fault = {.fail_at_call = call}});
    const auto ended = bed.suspend();
    SCOPED_TRACE(fmt::format("call {} of the area's handle", call));
    ASSERT_FALSE(ended);
    bed.expect_running_system();
    if (!bed.faulty_area.fired()) {
      EXPECT_GT(call, 6U);
      break;
    }
  }
}

TEST(SuspendFailure, WhereTheMarkCannotBeTakenOffTheErrorSaysSoAloud) {
  bool was_marked = false;
  for (std::uint64_t call = 1;; ++call) {
    CycleBed bed({.area_fault = {.fail_at_call = call, .fail_for_ever = true}});
    const auto ended = bed.suspend();
    SCOPED_TRACE(fmt::format("call {} of the area's handle, for ever", call));
    ASSERT_FALSE(ended);
    EXPECT_FALSE(bed.kernel.frozen());
    EXPECT_FALSE(bed.kernel.image_held());
    EXPECT_FALSE(bed.observer.silent);
    if (bed.is_marked()) {
      was_marked = true;
      EXPECT_THAT(ended.error().what(), HasSubstr("THE MARK MAY STILL BE ON THE DISK"));
    }
    if (!bed.faulty_area.fired()) break;
  }
  EXPECT_TRUE(was_marked) << "the sweep never met the case it is about";
}

TEST(SuspendFailure, ToFreezeTellsTheObserverThatUserSpaceRuns) {
  CycleBed bed;
  bed.kernel.faults().fail_name("SNAPSHOT_FREEZE", EBUSY);
  const auto ended = bed.suspend();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kBusy);
  EXPECT_FALSE(bed.log.has("create image"));
  EXPECT_FALSE(bed.log.has("unfreeze"));
  bed.expect_running_system();
}

// kernel-facts A.2: after a failed CREATE_IMAGE kernel threads can still be frozen; SNAPSHOT_FREE thaws them.
TEST(SuspendFailure, OfTheSnapshotFreesItBeforeTheThaw) {
  CycleBed bed;
  bed.kernel.faults().fail_name("SNAPSHOT_CREATE_IMAGE", ENOMEM);
  ASSERT_FALSE(bed.suspend());
  EXPECT_LT(bed.log.position("free image"), bed.log.position("unfreeze"));
  bed.expect_running_system();
}

TEST(SuspendFailure, TheFirstErrorIsTheOneThatIsTold) {
  CycleBed bed;
  bed.kernel.faults().fail_name("SNAPSHOT_FREE_SWAP_PAGES", EPERM);
  const auto ended = bed.suspend();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().operation, "end the fake machine");
}

}  // namespace
}  // namespace dormouse::test
