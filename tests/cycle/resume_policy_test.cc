/// What is decided at boot: the image is kept and the machine restarts, or the area is given back and the
/// boot goes on. Never a boot that goes on beside an image.
#include "cycle/resume_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cycle/resume_bed.h"

namespace dormouse::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Answer = BootConsole::Answer;

/// The next boot finds what the restart left, with the same fault, and must come to an end.
void expect_next_boot_gives_back(ResumeBed& first, const FaultPlan& fault) {
  ASSERT_TRUE(first.at_restart);
  EXPECT_TRUE(ResumeBed::is_marked(*first.at_restart)) << "a restart is for an image that is kept";
  const ImageInfo kept = image_on(*first.at_restart);
  EXPECT_EQ(kept.attempts, 1U);
  EXPECT_EQ(kept.state, ResumeState::kWaiting);
  ResumeBed second(std::move(*first.at_restart), fault);
  second.restore.refuse = first.restore.refuse;
  second.machine = first.machine;
  const auto ended = second.boot();
  EXPECT_FALSE(ended);
  EXPECT_EQ(second.restarts, 0);
  EXPECT_THAT(second.console.questions, IsEmpty());
  EXPECT_THAT(second.console.said, HasSubstr("this was try 2 of 2 ('resume attempts') and the last"));
  expect_safe_to_boot(second, ended);
}

TEST(ResumePolicy, CountsTheTryBeforeItLoadsAnything) {
  ResumeBed bed(hibernated_disk());
  (void)bed.boot();
  ASSERT_TRUE(bed.kernel.restored());
  EXPECT_THAT(std::vector(bed.log.steps().begin(), bed.log.steps().begin() + 3),
              ElementsAre("write", "flush", "load"));
  EXPECT_EQ(image_on(*bed.at_jump).attempts, 1U);
  EXPECT_TRUE(ResumeBed::header_is_plain(*bed.at_jump));
  EXPECT_THAT(bed.console.said, Not(HasSubstr("cannot"))) << "a resume that works says nothing of this kind";
}

TEST(ResumePolicy, KeepsADamagedImageOnceAndThenGivesTheAreaBack) {
  ResumeBed first(damaged_disk());
  const auto ended = first.boot();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kCorrupt) << "the exit code is that of the first error";
  EXPECT_EQ(first.restarts, 1);
  EXPECT_THAT(first.console.questions, ElementsAre("restarting to try again"));
  EXPECT_THAT(first.console.said, HasSubstr("this was try 1 of 2"));
  EXPECT_THAT(first.console.said, HasSubstr("is damaged"));
  EXPECT_TRUE(first.header_is_plain()) << "the fake machine did not restart, so the boot went on";
  EXPECT_FALSE(first.kernel.restored());
  expect_next_boot_gives_back(first, {});
}

TEST(ResumePolicy, GivesTheAreaBackAtOnceWhereOneTryIsAllowed) {
  ResumeBed bed(damaged_disk());
  bed.attempts_allowed = 1;
  const auto ended = bed.boot();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kCorrupt);
  EXPECT_EQ(bed.restarts, 0);
  EXPECT_THAT(bed.console.questions, IsEmpty());
  EXPECT_TRUE(bed.header_is_plain()) << "byte for byte";
}

TEST(ResumePolicy, AFailureOfEveryKernelCallKeepsTheImageOnceAndThenGivesTheAreaBack) {
  const MemoryBlockDevice hibernated = hibernated_disk();
  for (const int errnum : {EPERM, ENOMEM, EBUSY, EFAULT}) {
    for (std::uint64_t call = 0;; ++call) {
      ResumeBed bed(hibernated.clone());
      bed.kernel.faults().fail_call(call, errnum);
      const auto ended = bed.boot();
      if (!bed.kernel.faults().fired()) break;
      SCOPED_TRACE(fmt::format("call {}, errno {}", call, errnum));
      if (bed.kernel.restored()) continue;  // the way back from the fake jump
      ASSERT_FALSE(ended);
      EXPECT_EQ(bed.restarts, 1);
      expect_safe_to_boot(bed, ended);
      ASSERT_TRUE(bed.at_restart);
      ResumeBed second(std::move(*bed.at_restart));
      second.kernel.faults().fail_call(call, errnum);
      const auto again = second.boot();
      ASSERT_FALSE(again);
      EXPECT_EQ(again.error().errnum, errnum);
      EXPECT_EQ(second.restarts, 0);
      EXPECT_TRUE(second.header_is_plain());
    }
  }
}

TEST(ResumePolicy, AFailureOfEveryDeviceCallEndsInARestartOrInPlainSwap) {
  const MemoryBlockDevice hibernated = hibernated_disk();
  int kept = 0;
  int lost = 0;
  for (const bool refuse : {false, true}) {
    for (const bool for_ever : {false, true}) {
      for (std::uint64_t call = 1;; ++call) {  // call 0 reads the swap header: nothing is known without it
        const FaultPlan fault{.fail_at_call = call, .fail_for_ever = for_ever};
        ResumeBed bed(hibernated.clone(), fault);
        bed.restore.refuse = refuse;
        const auto ended = bed.boot();
        if (!bed.faulty.fired()) break;
        SCOPED_TRACE(fmt::format("call {}, for ever {}, jump refused {}", call, for_ever, refuse));
        ASSERT_FALSE(ended);
        EXPECT_LE(bed.restarts, 1);
        if (bed.log.has("jump")) {
          EXPECT_TRUE(bed.at_jump == nullptr || ResumeBed::header_is_plain(*bed.at_jump));
        }
        expect_safe_to_boot(bed, ended);
        if (bed.restarts == 0) {
          ++lost;
          continue;
        }
        ++kept;
        // What it counted is on the disk, or the machine might restart for ever.
        EXPECT_GE(image_on(*bed.at_restart).attempts, 1U);
        if (!for_ever && !bed.log.has("jump")) expect_next_boot_gives_back(bed, fault);
      }
    }
  }
  EXPECT_GT(kept, 20);
  EXPECT_GT(lost, 8);
}

TEST(ResumePolicy, AfterThatManyRestartsEveryBootComesToAnEnd) {
  for (const unsigned allowed : {1U, 2U, 5U}) {
    auto disk = std::make_unique<MemoryBlockDevice>(damaged_disk());
    int restarts = 0;
    while (disk) {
      ResumeBed bed(std::move(*disk));
      bed.attempts_allowed = allowed;
      (void)bed.boot();
      restarts += bed.restarts;
      disk = std::move(bed.at_restart);
      ASSERT_LE(restarts, 5);
    }
    EXPECT_EQ(restarts, static_cast<int>(allowed) - 1);
  }
}

TEST(ResumePolicy, ATryThatWasCutOffCounts) {
  ResumeBed bed(noted(hibernated_disk(), [](ImageReader& reader) {
    reader.note_attempt().value();
    reader.note_attempt().value();
  }));
  const auto ended = bed.boot();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kImpossible);
  EXPECT_FALSE(bed.log.has("load"));
  EXPECT_EQ(bed.restarts, 0);
  EXPECT_TRUE(bed.header_is_plain());
  EXPECT_THAT(bed.console.said, HasSubstr("came to 2, as many as"));
}

TEST(ResumePolicy, TheOtherAnswerDiscardsTheImageAndBoots) {
  ResumeBed bed(damaged_disk());
  bed.console.answer = Answer::kOther;
  const auto ended = bed.boot();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kCorrupt);
  EXPECT_EQ(bed.restarts, 0);
  EXPECT_TRUE(bed.header_is_plain());
}

TEST(ResumePolicy, AStopDoesNotCountAndKeepsTheImage) {
  ResumeBed bed(hibernated_disk());
  bed.observer.stop_at_question = 0;
  bed.attempts_allowed = 1;
  const auto ended = bed.boot();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kStopped);
  EXPECT_EQ(bed.restarts, 1);
  ASSERT_TRUE(bed.at_restart);
  EXPECT_TRUE(ResumeBed::is_marked(*bed.at_restart));
  EXPECT_EQ(image_on(*bed.at_restart).attempts, 0U);
  EXPECT_THAT(bed.console.said, HasSubstr("does not count"));
}

TEST(ResumePolicy, AnImageWhoseMarkTheDiskPutBackIsNotLoaded) {
  for (const ResumeState state : {ResumeState::kJumping, ResumeState::kGivenUp}) {
    ResumeBed bed(noted(hibernated_disk(), [&](ImageReader& reader) { reader.note_state(state).value(); }));
    const auto ended = bed.boot();
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().code, Errc::kImpossible);
    EXPECT_FALSE(bed.log.has("load"));
    EXPECT_THAT(bed.console.questions, IsEmpty());
    EXPECT_TRUE(bed.header_is_plain());
    EXPECT_THAT(bed.console.said, HasSubstr("would destroy"));
  }
}

TEST(ResumePolicy, ADiskThatKeepsTheMarkStillHasTheImageGivenUp) {
  // The calls of a boot with its one try; the last two write the swap header and flush it.
  ResumeBed counted(hibernated_disk());
  counted.restore.refuse = true;
  counted.attempts_allowed = 1;
  (void)counted.boot();
  ResumeBed bed(hibernated_disk(), {.fail_at_call = counted.faulty.calls() - 2, .fail_for_ever = true});
  bed.restore.refuse = true;
  bed.attempts_allowed = 1;
  const auto ended = bed.boot();
  ASSERT_FALSE(ended);
  EXPECT_EQ(exit_code(ended.error().code), 1);
  ASSERT_TRUE(bed.is_marked());
  EXPECT_EQ(image_on(bed.disk).state, ResumeState::kGivenUp) << "so that no later boot loads it";
  EXPECT_THAT(bed.console.said, HasSubstr("COULD NOT BE DISCARDED"));
  EXPECT_THAT(bed.console.said, HasSubstr("resume will not load it"));
}

TEST(ResumePolicy, WithoutACountThereIsNoRestartUnlessSomebodyAsks) {
  for (const Answer answer : {Answer::kDefault, Answer::kOther}) {
    MemoryBlockDevice disk = hibernated_disk();
    disk.mutable_bytes(4096 + 100, 1)[0] ^= std::byte{1};  // the image header
    ResumeBed bed(std::move(disk));
    bed.console.answer = answer;
    const auto ended = bed.boot();
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().code, Errc::kCorrupt);
    EXPECT_THAT(bed.console.questions, ElementsAre("discarding the image"));
    EXPECT_EQ(bed.restarts, answer == Answer::kOther ? 1 : 0);
    EXPECT_FALSE(bed.is_marked());
    if (bed.at_restart) {
      EXPECT_TRUE(ResumeBed::is_marked(*bed.at_restart));
    }
  }
}

TEST(ResumePolicy, AnImageOfNobodysMarkOutsideTheDeviceIsGivenBack) {
  MemoryBlockDevice disk = hibernated_disk();
  put_integer(disk.mutable_bytes(0, 4096), 4068, std::uint64_t{1} << 60, 8);
  ResumeBed bed(std::move(disk));
  const auto ended = bed.boot();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kCorrupt);
  EXPECT_EQ(bed.restarts, 0);
  EXPECT_FALSE(bed.is_marked());
}

TEST(ResumePolicy, AnUnfinishedImageIsGivenBackWithoutAQuestion) {
  MemoryBlockDevice disk = hibernated_disk();
  std::ranges::fill(disk.mutable_bytes(4096, 4096), std::byte{0});
  ResumeBed bed(std::move(disk));
  const auto ended = bed.boot();
  EXPECT_TRUE(ended) << "nothing was lost that was ever there";
  EXPECT_FALSE(bed.is_marked());
  EXPECT_THAT(bed.console.questions, IsEmpty());
  EXPECT_THAT(bed.console.said, HasSubstr("no image was ever written"));
}

TEST(ResumePolicy, TheImagesOfOthersAreNamedAndLeftAlone) {
  for (const std::string_view mark :
       {std::string_view("S1SUSPEND\0", 10), std::string_view("S2SUSPEND\0", 10),
        std::string_view("LINHIB0001", 10)}) {
    MemoryBlockDevice disk = hibernated_disk();
    put_text_at(disk.mutable_bytes(0, 4096), 4086, mark);
    ResumeBed bed(disk.clone());
    EXPECT_TRUE(bed.boot());
    EXPECT_THAT(bed.console.said, HasSubstr(std::string(mark.substr(0, 9))));
    EXPECT_TRUE(std::ranges::equal(bed.disk.bytes(), disk.bytes())) << "not a byte";
  }
  MemoryBlockDevice uswsusp = hibernated_disk();
  std::ranges::fill(uswsusp.mutable_bytes(4096, 4096), std::byte{0x77});
  ResumeBed bed(uswsusp.clone());
  EXPECT_TRUE(bed.boot());
  EXPECT_THAT(bed.console.said, HasSubstr("uswsusp"));
  EXPECT_TRUE(std::ranges::equal(bed.disk.bytes(), uswsusp.bytes()));
}

TEST(ResumePolicy, AnImageOfAnotherMachineIsRefusedBeforeItIsReadAndKeptForTheRightKernel) {
  ResumeBed bed(hibernated_disk());
  bed.machine.architecture = "aarch64";
  const auto ended = bed.boot();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kImpossible);
  EXPECT_FALSE(bed.log.has("load"));
  EXPECT_EQ(bed.restarts, 1);
  expect_next_boot_gives_back(bed, {});
}

TEST(ResumePolicy, ARefusalByTheKernelNamesBothSizesOfMemory) {
  ResumeBed bed(hibernated_disk({}, {.ram_bytes = 2'000'000'000}));
  bed.kernel.faults().fail_name("write", EPERM);
  bed.machine.ram_bytes = 1'000'000'000;
  ASSERT_FALSE(bed.boot());
  EXPECT_THAT(bed.console.said, AllOf(HasSubstr("2000000000 bytes"), HasSubstr("1000000000")));
}

}  // namespace
}  // namespace dormouse::test
