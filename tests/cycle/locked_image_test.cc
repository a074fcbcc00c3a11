/// What is decided at boot about an image that is sealed: who does not open it has lost nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cycle/resume_bed.h"
#include "cycle/resume_policy.h"

namespace dormouse::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Answer = BootConsole::Answer;

MemoryBlockDevice sealed_disk() {
  ImageSeal seal = seal_with("open sesame");
  return hibernated_disk({}, {}, &seal);
}

Error wrong_key() {
  return fail(Errc::kWrongKey, "open sealed image")
      .because("none of the 3 passphrases given opens it")
      .error();
}

TEST(LockedImage, ASealedImageIsCountedOnceItIsOpen) {
  ResumeBed bed(sealed_disk());
  bed.passphrase = "open sesame";
  (void)bed.boot();
  ASSERT_TRUE(bed.kernel.restored());
  EXPECT_LT(bed.log.position("write"), bed.log.position("load")) << "the count";
  EXPECT_EQ(image_on(*bed.at_jump).attempts, 1U);
}

TEST(LockedImage, AnImageThatNobodyOpensIsKeptUncountedAndTheMachineGoesOff) {
  for (const Error& error : {wrong_key(), fail(Errc::kStopped, "ask for the passphrase").error()}) {
    ResumeBed bed(sealed_disk());
    bed.unopened = error;
    bed.attempts_allowed = 1;
    const auto ended = bed.boot();
    ASSERT_FALSE(ended) << "the fake machine does not go off";
    EXPECT_THAT(bed.console.questions, ElementsAre("powering off"));
    EXPECT_TRUE(bed.log.has("power off"));
    EXPECT_FALSE(bed.log.has("restart"));
    ASSERT_TRUE(bed.at_restart);
    EXPECT_TRUE(ResumeBed::is_marked(*bed.at_restart));
    EXPECT_EQ(image_on(*bed.at_restart).attempts, 0U);
    EXPECT_EQ(image_on(*bed.at_restart).state, ResumeState::kWaiting);
    EXPECT_THAT(bed.console.said, HasSubstr("stays locked"));
    EXPECT_THAT(bed.console.said, HasSubstr("does not count as a try"));
    EXPECT_THAT(bed.console.said, HasSubstr("could not be powered off"));
    expect_safe_to_boot(bed, ended);
  }
}

TEST(LockedImage, SwitchedOnAgainALockedImageIsOpenedAndResumed) {
  ResumeBed first(sealed_disk());
  first.unopened = wrong_key();
  first.attempts_allowed = 1;
  ASSERT_FALSE(first.boot());
  ASSERT_TRUE(first.at_restart);
  ResumeBed second(std::move(*first.at_restart));
  second.attempts_allowed = 1;
  second.passphrase = "open sesame";
  (void)second.boot();
  EXPECT_TRUE(second.kernel.restored());
}

TEST(LockedImage, TheOtherAnswerDiscardsALockedImage) {
  ResumeBed bed(sealed_disk());
  bed.unopened = wrong_key();
  bed.console.answer = Answer::kOther;
  const auto ended = bed.boot();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kWrongKey);
  EXPECT_EQ(exit_code(ended.error().code), 3);
  EXPECT_EQ(bed.restarts, 0);
  EXPECT_TRUE(bed.header_is_plain());
}

// Nobody was asked: no key file fits, or nobody could be.
TEST(LockedImage, AnImageThatNoKeyOpensIsATryThatFailed) {
  ResumeBed first(sealed_disk());
  first.passphrase = "another";
  const auto ended = first.boot();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kWrongKey);
  EXPECT_THAT(first.console.questions, ElementsAre("restarting to try again"));
  ASSERT_TRUE(first.at_restart);
  EXPECT_EQ(image_on(*first.at_restart).attempts, 1U);
  ResumeBed second(std::move(*first.at_restart));
  second.passphrase = "another";
  ASSERT_FALSE(second.boot());
  EXPECT_EQ(second.restarts, 0);
  EXPECT_TRUE(second.header_is_plain());
}

TEST(LockedImage, ASealedImageWhoseTryCannotBeCountedIsNotLoaded) {
  // The calls before the count: the header for the policy, and for the loader.
  for (std::uint64_t call = 1; call < 5; ++call) {
    ResumeBed bed(sealed_disk(), {.fail_at_call = call, .fail_for_ever = true});
    bed.passphrase = "open sesame";
    const auto ended = bed.boot();
    ASSERT_TRUE(bed.faulty.fired());
    ASSERT_FALSE(ended);
    EXPECT_FALSE(bed.kernel.restored());
    EXPECT_FALSE(bed.log.has("load"));
    expect_safe_to_boot(bed, ended);
  }
}

}  // namespace
}  // namespace dormouse::test
