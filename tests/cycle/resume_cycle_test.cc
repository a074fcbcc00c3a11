/// The order of a try to resume, and its failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cycle/resume_bed.h"

namespace dormouse::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ResumeCycle, TakesItsStepsInOrder) {
  ResumeBed bed(hibernated_disk());
  const auto ended = bed.resume();
  ASSERT_FALSE(ended) << "a test has to get back";
  EXPECT_TRUE(bed.kernel.restored());
  EXPECT_THAT(bed.log.steps(), ElementsAre("load", "finish", "write", "flush",  // the figures
                                           "platform", "[freezing]", "freeze", "clear", "flush",  // the mark
                                           "write", "flush",                                      // the state
                                           "jump", "free image",  // it came back
                                           "write", "flush", "mark", "flush", "unfreeze", "[thawed]"));
  ASSERT_TRUE(bed.at_jump);
  EXPECT_TRUE(ResumeBed::header_is_plain(*bed.at_jump)) << "byte for byte";
  EXPECT_EQ(image_on(*bed.at_jump).state, ResumeState::kJumping);
  EXPECT_TRUE(image_on(*bed.at_jump).loaded) << "the machine that wakes up prints these figures";
  EXPECT_FALSE(bed.kernel.leaks());
}

TEST(ResumeCycle, ADamagedImageIsNotPassedOnAndKeepsItsMark) {
  ResumeBed bed(damaged_disk());
  const auto ended = bed.resume();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kCorrupt) << ended.error().what();
  EXPECT_FALSE(bed.log.has("finish"));
  EXPECT_FALSE(bed.log.has("freeze"));
  EXPECT_FALSE(bed.log.has("jump"));
  EXPECT_TRUE(bed.log.has("free image"));
  EXPECT_TRUE(bed.is_marked());
}

TEST(ResumeCycle, AFailureOfEveryKernelCallLeavesTheImageAsItWas) {
  const MemoryBlockDevice before = hibernated_disk();
  for (std::uint64_t call = 0;; ++call) {
    ResumeBed bed(before.clone());
    bed.kernel.faults().fail_call(call, ENOMEM);
    const auto ended = bed.resume();
    if (!bed.kernel.faults().fired()) break;
    const std::string_view failed = bed.kernel.calls()[call];
    SCOPED_TRACE(fmt::format("call {}, {}", call, failed));
    ASSERT_FALSE(ended);
    EXPECT_EQ(swap_page_of(bed.disk, {}), swap_page_of(before, {})) << "marked, byte for byte";
    EXPECT_EQ(image_on(bed.disk).state, ResumeState::kWaiting);
    EXPECT_FALSE(bed.observer.silent) << "the observer was not told that user space runs";
    EXPECT_FALSE(bed.kernel.leaks());
    if (failed != "SNAPSHOT_UNFREEZE") {
      EXPECT_FALSE(bed.kernel.frozen());
    }
  }
}

TEST(ResumeCycle, AFailureOfEveryDeviceCallNeverJumpsWithTheMarkOn) {
  const MemoryBlockDevice before = hibernated_disk();
  for (const bool for_ever : {false, true}) {
    for (std::uint64_t call = 0;; ++call) {
      ResumeBed bed(before.clone(), {.fail_at_call = call, .fail_for_ever = for_ever});
      const auto ended = bed.resume();
      SCOPED_TRACE(fmt::format("call {} of the device", call));
      ASSERT_FALSE(ended);
      EXPECT_FALSE(bed.kernel.frozen());
      EXPECT_FALSE(bed.observer.silent);
      EXPECT_TRUE(bed.is_marked() || bed.header_is_plain()) << "nothing in between";
      // After the fake jump comes only what a machine does that did not jump.
      EXPECT_EQ(bed.kernel.restored(), bed.log.has("jump"));
      if (bed.log.has("jump")) {
        EXPECT_TRUE(ResumeBed::header_is_plain(*bed.at_jump));
      } else if (!for_ever) {
        EXPECT_TRUE(bed.is_marked()) << "one failure is no reason to lose the image";
      }
      if (!bed.faulty.fired()) break;
    }
  }
}

TEST(ResumeCycle, PutsTheMarkBackBeforeTheThawWhereTheKernelRefusesTheJump) {
  ResumeBed bed(hibernated_disk());
  bed.restore.refuse = true;
  const auto ended = bed.resume();
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().what(), HasSubstr("the kernel's own words"));
  EXPECT_TRUE(bed.is_marked());
  EXPECT_EQ(image_on(bed.disk).state, ResumeState::kWaiting);
  EXPECT_LT(bed.log.position("mark"), bed.log.position("unfreeze")) << "nobody may mount anything in between";
}

TEST(ResumeCycle, SaysSoWhereTheMarkCannotBePutBack) {
  // The calls of an undisturbed try, the way back included; its last four are state, flush, mark, flush.
  ResumeBed counted(hibernated_disk());
  counted.restore.refuse = true;
  (void)counted.resume();
  const std::uint64_t calls = counted.faulty.calls();
  for (std::uint64_t call = calls - 4; call < calls; ++call) {
    ResumeBed bed(hibernated_disk(), {.fail_at_call = call});
    bed.restore.refuse = true;
    auto area = SwapArea::open(bed.device, DeviceOffset{0}).value();
    bed.reader.open(bed.device, area.marked_image_header(), ResumeBed::kBounds).value();
    const auto ended = run_resume({.restore = bed.restore,
                                   .area = area,
                                   .reader = bed.reader,
                                   .progress = bed.progress,
                                   .observer = bed.observer});
    SCOPED_TRACE(call);
    ASSERT_TRUE(bed.faulty.fired());
    EXPECT_TRUE(area.mark_taken_off());
    EXPECT_THAT(ended.error().what(), HasSubstr("could not be put on again"));
    EXPECT_EQ(ended.error().errnum, EPERM) << "the first error is the one that is kept";
    EXPECT_FALSE(bed.kernel.frozen());
  }
}

TEST(ResumeCycle, StopsBeforeTheMarkIsTakenOff) {
  ResumeBed bed(hibernated_disk());
  bed.observer.stop_at_question = 0;
  const auto ended = bed.resume();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kStopped);
  EXPECT_TRUE(bed.is_marked());
  EXPECT_FALSE(bed.log.has("freeze"));
}

}  // namespace
}  // namespace dormouse::test
