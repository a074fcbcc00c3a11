/// The system that wakes up: it remembers nothing since the snapshot, so it asks the disk.
#include <gtest/gtest.h>

#include "cycle/resume_bed.h"

namespace dormouse::test {
namespace {

/// What the disk holds when the image runs again: hibernated, loaded, the mark taken off.
MemoryBlockDevice resumed_disk(bool with_note) {
  ResumeBed bed(hibernated_disk());
  if (!with_note) {
    auto area = SwapArea::open(bed.disk, DeviceOffset{0}).value();
    bed.reader.open(bed.disk, area.marked_image_header(), ResumeBed::kBounds).value();
    area.clear(bed.reader.original_tail()).value();
    return std::move(bed.disk);
  }
  (void)bed.resume();
  if (!bed.at_jump) throw std::runtime_error("the image was not restored");
  return std::move(*bed.at_jump);
}

/// The cycle whose CREATE_IMAGE returns twice: what follows the first time has become of `disk`.
void wake_up_with(CycleBed& bed, const MemoryBlockDevice& disk) {
  bed.snapshot.at_snapshot = [&bed, &disk] {
    std::memcpy(bed.disk.mutable_bytes(0, disk.size_bytes()).data(), disk.bytes().data(), disk.size_bytes());
  };
}

TEST(WakeUp, ReadsBothHalvesOfTheFiguresBackFromDisk) {
  const MemoryBlockDevice disk = resumed_disk(true);
  CycleBed bed({.machine = {.comes_back_resumed = true}});
  wake_up_with(bed, disk);
  const auto outcome = bed.suspend();
  ASSERT_TRUE(outcome) << outcome.error().what();
  EXPECT_EQ(outcome->end, SuspendEnd::kResumed);
  EXPECT_EQ(outcome->image.pages, FakeMachine{}.image_pages);
  EXPECT_GT(outcome->image.stored_bytes, 0U);
  EXPECT_GT(outcome->write.duration_ns, 0U);
  ASSERT_TRUE(outcome->read);
  EXPECT_GT(outcome->read->duration_ns, 0U);
  EXPECT_FALSE(bed.log.has("area mark"));
  EXPECT_FALSE(bed.log.has("power off"));
  EXPECT_LT(bed.log.position("free image"), bed.log.position("unfreeze"))
      << "else the kernel would stay frozen";
  bed.expect_running_system();
}

TEST(WakeUp, WipesTheSealAtOnce) {
  const MemoryBlockDevice disk = resumed_disk(true);
  ImageSeal seal = seal_with("open sesame");
  CycleBed bed({.machine = {.comes_back_resumed = true}, .seal = &seal});
  wake_up_with(bed, disk);
  const auto outcome = bed.suspend();
  ASSERT_TRUE(outcome) << outcome.error().what();
  EXPECT_EQ(seal.ways(), 0U);
  EXPECT_FALSE(seal.draw(std::array<std::byte, 16>{}));
}

TEST(WakeUp, HasNoReadHalfWhereTheResumeNotedNone) {
  const MemoryBlockDevice disk = resumed_disk(false);
  CycleBed bed({.machine = {.comes_back_resumed = true}});
  wake_up_with(bed, disk);
  const auto outcome = bed.suspend();
  ASSERT_TRUE(outcome) << outcome.error().what();
  EXPECT_FALSE(outcome->read);
}

TEST(WakeUp, WithABlankHeaderMeansThatTheKernelGaveUp) {
  CycleBed bed({.machine = {.comes_back_resumed = true}});
  const auto ended = bed.suspend();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kBusy);
  EXPECT_EQ(ended.error().operation, "SNAPSHOT_CREATE_IMAGE");
  bed.expect_running_system();
}

TEST(WakeUp, IsNotFooledByAnOlderImageHeaderInTheSamePlace) {
  CycleBed bed({.machine = {.comes_back_resumed = true}});
  const MemoryBlockDevice older = hibernated_disk();
  // The older image's header lies just where this run will put its own.
  std::memcpy(bed.disk.mutable_bytes(4096, 1023 * 4096).data(), older.bytes().data() + 4096, 1023 * 4096);
  const auto ended = bed.suspend();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kBusy);
}

TEST(WakeUp, TellsOfFiguresThatCannotBeReadAndStillThaws) {
  MemoryBlockDevice disk = resumed_disk(true);
  disk.mutable_bytes(4096 + 100, 1)[0] ^= std::byte{1};
  CycleBed bed({.machine = {.comes_back_resumed = true}});
  wake_up_with(bed, disk);
  const auto ended = bed.suspend();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kCorrupt);
  bed.expect_running_system();
}

}  // namespace
}  // namespace dormouse::test
