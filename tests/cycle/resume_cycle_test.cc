/// The order of a resume, and its failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cycle/cycle_bed.h"

namespace dormouse::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The loading side, with its calls in the log. The jump can be refused with words of the kernel's own.
class LoggedRestoreDevice final : public RestoreDevice {
 public:
  LoggedRestoreDevice(FakeRestoreDevice& inner, CallLog& log) : inner_(inner), log_(log) {}
  Result<void> write(std::span<const std::byte> pages) override { return note("load", inner_.write(pages)); }
  Result<void> finish() override { return note("finish", inner_.finish()); }
  Result<void> set_platform_support(bool on) override {
    return note("platform", inner_.set_platform_support(on));
  }
  Result<void> freeze() override { return note("freeze", inner_.freeze()); }
  Result<void> unfreeze() override { return note("unfreeze", inner_.unfreeze()); }
  Result<void> free_image() override { return note("free image", inner_.free_image()); }
  Result<void> atomic_restore() override {
    log_.add("jump");
    if (refuse) return fail(Errc::kIo, "SNAPSHOT_ATOMIC_RESTORE").os(EPERM).because("the kernel's own words");
    return inner_.atomic_restore();
  }
  bool refuse = false;

 private:
  Result<void> note(std::string_view step, Result<void> result) {
    log_.add(step);
    return result;
  }
  FakeRestoreDevice& inner_;
  CallLog& log_;
};

struct ResumeBed {
  CallLog log;
  MemoryBlockDevice disk;
  FaultBlockDevice faulty;
  LoggedBlockDevice device;
  FakeRestoreDevice kernel;
  LoggedRestoreDevice restore;
  LoggedObserver observer;
  NoProgress progress;
  SwapArea area;
  ImageReader reader;

  explicit ResumeBed(MemoryBlockDevice hibernated, const FaultPlan& fault = {})
      : disk(std::move(hibernated)),
        faulty(disk, fault),
        device(faulty, log, "", 0),
        restore(kernel, log),
        observer(log),
        area(SwapArea::open(disk, DeviceOffset{0}).value()),
        reader(ImageReader::prepare(16 * 4096, 2).value()) {}

  /// Opens both on the device with faults: its calls 0 and 1.
  Result<void> resume() {
    auto opened = SwapArea::open(device, DeviceOffset{0});
    if (!opened) return std::unexpected(opened.error());
    auto r = reader.open(device, opened->marked_image_header(), {.end_page = 1024, .swap_header_page = 0});
    if (!r) return r;
    return run_resume(
        {.restore = restore, .area = *opened, .reader = reader, .progress = progress, .observer = observer});
  }
  [[nodiscard]] bool is_marked() const {
    return std::memcmp(disk.bytes().data() + 4086, "ULSUSPEND", 9) == 0;
  }
  [[nodiscard]] bool header_is_plain() const {
    return swap_page_of(disk, {}) == make_swap_page({.last_page = 1023});
  }
};

TEST(ResumeCycle, TakesItsStepsInOrder) {
  ResumeBed bed(hibernated_disk());
  const auto ended = bed.resume();
  ASSERT_FALSE(ended) << "a test has to get back";
  EXPECT_TRUE(bed.kernel.restored());
  EXPECT_TRUE(bed.kernel.loaded() == FakeSnapshotDevice::stream({}) || bed.kernel.loaded().empty());
  EXPECT_THAT(bed.log.steps(),
              ElementsAre("load", "finish", "write", "flush",                    // the figures
                          "platform", "[freezing]", "freeze", "clear", "flush",  // before the jump
                          "jump", "free image", "unfreeze", "[thawed]"));
  EXPECT_TRUE(bed.header_is_plain()) << "byte for byte";
  EXPECT_FALSE(bed.kernel.leaks());
}

TEST(ResumeCycle, ADamagedImageIsNotPassedOnAndKeepsItsMark) {
  MemoryBlockDevice damaged = hibernated_disk();
  auto reader = ImageReader::prepare(16 * 4096, 1).value();
  reader.open(damaged, DeviceOffset{4096}, {.end_page = 1024, .swap_header_page = 0}).value();
  const std::uint64_t last =
      reader.figures().stored_bytes / 4096;  // the last page of the last chunk, free layout
  damaged.mutable_bytes(last * 4096 + 9, 1)[0] ^= std::byte{1};
  ResumeBed bed(std::move(damaged));
  const auto ended = bed.resume();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kCorrupt) << ended.error().what();
  EXPECT_FALSE(bed.log.has("finish"));
  EXPECT_FALSE(bed.log.has("freeze"));
  EXPECT_FALSE(bed.log.has("jump"));
  EXPECT_TRUE(bed.log.has("free image"));
  EXPECT_TRUE(bed.is_marked());
}

TEST(ResumeCycle, AFailureOfEveryKernelCallKeepsTheImageUntilTheMarkIsOff) {
  for (std::uint64_t call = 0;; ++call) {
    ResumeBed bed(hibernated_disk());
    bed.kernel.faults().fail_call(call, ENOMEM);
    const auto ended = bed.resume();
    if (!bed.kernel.faults().fired()) break;
    const std::string_view failed = bed.kernel.calls()[call];
    SCOPED_TRACE(fmt::format("call {}, {}", call, failed));
    ASSERT_FALSE(ended);
    EXPECT_EQ(bed.is_marked(), !bed.log.has("clear"));
    EXPECT_EQ(bed.header_is_plain(), bed.log.has("clear"));
    EXPECT_FALSE(bed.observer.silent) << "the observer was not told that user space runs";
    EXPECT_EQ(bed.kernel.leaks(), failed == "SNAPSHOT_FREE" && bed.log.has("freeze"));
    if (failed != "SNAPSHOT_UNFREEZE") {
      EXPECT_FALSE(bed.kernel.frozen());
    }
  }
}

TEST(ResumeCycle, AFailureOfEveryDeviceCallNeverJumpsWithTheMarkOn) {
  for (const bool for_ever : {false, true}) {
    for (std::uint64_t call = 0;; ++call) {
      ResumeBed bed(hibernated_disk(), {.fail_at_call = call, .fail_for_ever = for_ever});
      const auto ended = bed.resume();
      SCOPED_TRACE(fmt::format("call {} of the device", call));
      ASSERT_FALSE(ended);
      if (!bed.faulty.fired()) {
        EXPECT_TRUE(bed.kernel.restored());
        break;
      }
      EXPECT_FALSE(bed.kernel.restored());
      EXPECT_FALSE(bed.log.has("jump"));
      EXPECT_FALSE(bed.kernel.frozen());
      EXPECT_FALSE(bed.observer.silent);
      EXPECT_TRUE(bed.is_marked() || bed.header_is_plain()) << "nothing in between";
    }
  }
}

TEST(ResumeCycle, SaysThatTheImageIsGoneWhereTheKernelRefusesTheJump) {
  ResumeBed bed(hibernated_disk());
  bed.restore.refuse = true;
  const auto ended = bed.resume();
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().what(), HasSubstr("the kernel's own words"));
  EXPECT_THAT(ended.error().what(), HasSubstr("mark has been removed"));
  EXPECT_TRUE(bed.header_is_plain());
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
