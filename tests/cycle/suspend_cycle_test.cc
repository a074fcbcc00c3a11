/// The order of a suspend: design section 5, as a list of calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cycle/cycle_bed.h"
#include "image/memory_pages.h"

namespace dormouse::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SuspendCycle, TakesItsStepsInOrder) {
  CycleBed bed;
  const auto ended = bed.suspend({.method = ShutdownMethod::kShutdown, .size_cap_bytes = 123 * 4096});
  ASSERT_FALSE(ended) << "the fake machine does not go off";
  EXPECT_THAT(bed.log.steps(), ElementsAre("area write", "area flush",  // the image header's page is blanked
                                           "platform", "image size", "[freezing]", "freeze", "create image",
                                           "write", "flush",            // data and map are durable
                                           "write", "flush",            // the image header is durable
                                           "area mark", "area flush",   // the commit point
                                           "power off",                 // which failed:
                                           "area clear", "area flush",  // the mark first
                                           "free image", "free slots", "unfreeze", "[thawed]"));
  EXPECT_THAT(bed.observer.steps, ElementsAre("prepare", "freeze", "snapshot", "write", "mark", "power off",
                                              "clear mark", "thaw"));
  EXPECT_EQ(bed.kernel.preferred_image_bytes(), 123U * 4096);
  EXPECT_EQ(ended.error().operation, "end the fake machine");
  bed.expect_running_system();
}

TEST(SuspendCycle, LeavesAMarkedAndWholeImageWhereTheMachineGoesOff) {
  MemoryBlockDevice disk = hibernated_disk();
  auto area = SwapArea::open(disk, DeviceOffset{0});
  ASSERT_TRUE(area);
  EXPECT_EQ(area->signature(), SwapSignature::kUserMark);
  auto reader = ImageReader::prepare(16 * 4096, 1);
  ASSERT_TRUE(reader->open(disk, area->marked_image_header(), {.end_page = 1024, .swap_header_page = 0}));
  MemoryPageSink sink(reader->figures().bytes());
  NoProgress progress;
  ASSERT_TRUE(reader->read(sink, progress));
  EXPECT_TRUE(sink.pages() == FakeSnapshotDevice::stream({}));
  // The mark is undone byte for byte from what the image header kept.
  ASSERT_TRUE(area->clear(reader->original_tail()));
  EXPECT_TRUE(swap_page_of(disk, {}) == make_swap_page({.last_page = 1023}));
}

TEST(SuspendCycle, ARehearsalMarksNothingAndTakesEverythingBack) {
  CycleBed bed;
  const auto outcome = bed.suspend({.method = ShutdownMethod::kNone});
  ASSERT_TRUE(outcome) << outcome.error().what();
  EXPECT_EQ(outcome->end, SuspendEnd::kRehearsed);
  EXPECT_EQ(outcome->image.pages, bed.machine.image_pages);
  EXPECT_GT(outcome->write.duration_ns, 0U);
  EXPECT_FALSE(outcome->read);
  EXPECT_FALSE(bed.log.has("area mark"));
  EXPECT_FALSE(bed.log.has("power off"));
  bed.expect_running_system();
}

TEST(SuspendCycle, SuspendToRamTakesTheMarkOffAfterWakeUp) {
  CycleBed bed;
  const auto outcome = bed.suspend({.method = ShutdownMethod::kSuspend});
  ASSERT_TRUE(outcome) << outcome.error().what();
  EXPECT_EQ(outcome->end, SuspendEnd::kWoke);
  EXPECT_LT(bed.log.position("area mark"), bed.log.position("suspend to ram"));
  EXPECT_LT(bed.log.position("suspend to ram"), bed.log.position("area clear"));
  EXPECT_LT(bed.log.position("area clear"), bed.log.position("unfreeze"));
  bed.expect_running_system();
}

TEST(SuspendCycle, ThePlatformMethodFallsBackWhereTheFirmwareCannot) {
  CycleBed bed({.machine = {.has_platform = false}});
  EXPECT_FALSE(bed.suspend({.method = ShutdownMethod::kPlatform, .platform = true}));
  EXPECT_LT(bed.log.position("firmware power off"), bed.log.position("power off"));
  EXPECT_TRUE(bed.log.has("power off"));
  bed.expect_running_system();
}

TEST(SuspendCycle, AWakeUpEventGoesBackInsteadOfPoweringOff) {
  for (const int errnum : {EBUSY, EAGAIN}) {
    CycleBed bed;
    bed.kernel.faults().fail_name("SNAPSHOT_POWER_OFF", errnum);
    const auto ended = bed.suspend({.method = ShutdownMethod::kPlatform, .platform = true});
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().operation, "SNAPSHOT_POWER_OFF");
    EXPECT_FALSE(bed.log.has("power off"));
    bed.expect_running_system();
  }
}

TEST(SuspendCycle, RebootByMethodOrByKey) {
  CycleBed by_method;
  EXPECT_FALSE(by_method.suspend({.method = ShutdownMethod::kReboot}));
  EXPECT_TRUE(by_method.log.has("restart"));
  EXPECT_FALSE(by_method.log.has("power off"));
  CycleBed by_key;
  by_key.observer.reboot = true;
  EXPECT_FALSE(by_key.suspend({.method = ShutdownMethod::kPlatform, .platform = true}));
  EXPECT_TRUE(by_key.log.has("restart"));
  EXPECT_FALSE(by_key.log.has("firmware power off"));
  by_key.expect_running_system();
}

TEST(SuspendCycle, StopsWheneverItAsks) {
  for (std::uint64_t question = 0;; ++question) {
    CycleBed bed;
    bed.observer.stop_at_question = question;
    const auto ended = bed.suspend();
    ASSERT_FALSE(ended);
    bed.expect_running_system();
    if (ended.error().code != Errc::kStopped) {
      EXPECT_GE(question, 2U) << "before writing and before the mark";
      break;
    }
    EXPECT_FALSE(bed.log.has("area mark"));
  }
}

TEST(SuspendCycle, AHeaderThatSomebodyChangedIsNeitherMarkedNorPutBack) {
  CycleBed bed;
  bed.snapshot.at_snapshot = [&] { bed.disk.mutable_bytes(1052, 1)[0] = std::byte{'N'}; };
  const auto ended = bed.suspend();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kBusy);
  EXPECT_FALSE(bed.log.has("area mark"));
  EXPECT_FALSE(bed.log.has("area clear"));
  EXPECT_EQ(bed.disk.bytes()[1052], std::byte{'N'});
  EXPECT_FALSE(bed.kernel.frozen());
}

/// Flips a bit of every data page on its way to the medium.
class CorruptingDevice final : public BlockDevice {
 public:
  explicit CorruptingDevice(MemoryBlockDevice& disk) : disk_(disk) {}
  Result<void> write(DeviceOffset offset, std::span<const std::byte> data) override {
    auto r = disk_.write(offset, data);
    if (data.size() > 4096) disk_.mutable_bytes(to_bytes(offset) + 100, 1)[0] ^= std::byte{4};
    return r;
  }
  Result<void> read(DeviceOffset offset, std::span<std::byte> out) override {
    return disk_.read(offset, out);
  }
  void start_writeout(std::span<const ByteRange>) override {}
  Result<void> flush() override { return {}; }
  void forget_error() override {}
  void quiesce() override {}
  [[nodiscard]] std::uint64_t size_bytes() const override { return disk_.size_bytes(); }
  [[nodiscard]] std::string_view name() const override { return "disk"; }

 private:
  MemoryBlockDevice& disk_;
};

TEST(SuspendCycle, VerifyingFindsAPlantedErrorBeforeTheMark) {
  for (const bool planted : {false, true}) {
    CycleBed bed;
    CorruptingDevice corrupting(bed.disk);
    BlockDevice& device = planted ? static_cast<BlockDevice&>(corrupting) : bed.device;
    const auto ended = run_suspend({.snapshot = bed.snapshot,
                                    .device = device,
                                    .area = bed.area,
                                    .allocator = bed.allocator,
                                    .writer = bed.writer,
                                    .reader = bed.reader,
                                    .power = bed.power,
                                    .progress = bed.progress,
                                    .observer = bed.observer},
                                   {.method = ShutdownMethod::kShutdown, .verify = true});
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().code, planted ? Errc::kCorrupt : Errc::kIo) << ended.error().what();
    EXPECT_EQ(bed.log.has("area mark"), !planted);
    bed.expect_running_system();
  }
}

TEST(SuspendCycle, ASealedImageIsVerifiedWithItsKeyAndTheSealKeptForAnotherTry) {
  ImageSeal seal = seal_with("open sesame");
  CycleBed bed({.seal = &seal});
  std::unique_ptr<MemoryBlockDevice> marked;
  bed.power.at_end = [&] { marked = std::make_unique<MemoryBlockDevice>(bed.disk.clone()); };
  ASSERT_FALSE(bed.suspend({.method = ShutdownMethod::kShutdown, .verify = true}))
      << "the fake machine stays on";
  ASSERT_TRUE(marked) << "it was verified and marked";
  auto reader = ImageReader::prepare(16 * 4096, 1).value();
  ASSERT_TRUE(reader.open(*marked, DeviceOffset{4096}, {.end_page = 1024, .swap_header_page = 0}));
  EXPECT_EQ(reader.info().cipher, Cipher::kChaCha20Poly1305);
  EXPECT_EQ(seal.ways(), 1U);
  EXPECT_TRUE(seal.draw(std::array<std::byte, 16>{}));
  bed.expect_running_system();
}

// The snapshot of another try would hold it.
TEST(SuspendCycle, TheKeyOfATryIsForgottenHoweverItEnds) {
  const auto is_forgotten = [](const ImageSeal& seal) {
    return std::ranges::all_of(seal.data_key(), [](std::byte b) { return b == std::byte{0}; });
  };
  ImageSeal seal = seal_with("open sesame");
  ASSERT_TRUE(seal.draw(std::array<std::byte, 16>{}));
  EXPECT_FALSE(is_forgotten(seal)) << "there is something to forget";
  seal.forget_drawn();
  int failed = 0;
  for (std::uint64_t call = 0; call < 20; ++call) {
    CycleBed bed({.device_fault = {.fail_at_call = call}, .seal = &seal});
    if (!bed.suspend({.method = ShutdownMethod::kNone, .verify = true})) ++failed;
    EXPECT_TRUE(is_forgotten(seal)) << "call " << call;
  }
  EXPECT_GT(failed, 3);
}

// Buffered writes stay in the page cache: reading them back from there would prove nothing about the medium.
TEST(SuspendCycle, VerifyingReadsThroughTheDirectHandle) {
  CycleBed bed;
  ASSERT_FALSE(bed.suspend({.method = ShutdownMethod::kShutdown, .verify = false}));
  const auto without = bed.faulty_area.calls();
  CycleBed verifying;
  ASSERT_FALSE(verifying.suspend({.method = ShutdownMethod::kShutdown, .verify = true}));
  EXPECT_GT(verifying.faulty_area.calls(), without + 2);
}

TEST(SuspendCycle, AStaleSnapshotWithoutAnImageIsNotMarked) {
  CycleBed bed({.machine = {.stale_create = true}});
  const auto ended = bed.suspend();
  ASSERT_FALSE(ended);
  EXPECT_FALSE(bed.log.has("area mark"));
  bed.expect_running_system();
}

TEST(SuspendCycle, TheAreaBeingFullGoesBackWithNumbers) {
  CycleBed bed({.machine = {.image_pages = 64, .swap_pages = 20}});
  const auto ended = bed.suspend();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::kNoSpace) << ended.error().what();
  EXPECT_THAT(ended.error().what(), HasSubstr("18")) << "pages that were free when the writing began";
  bed.expect_running_system();
}

}  // namespace
}  // namespace dormouse::test
