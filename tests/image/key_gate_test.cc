/// Reading ahead while somebody is asked for the key: in whatever order the two come to an end, nothing is
/// passed on before, and nobody waits for ever. Nothing sleeps: threads look at what the other has done.
#include "dormouse/key_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "damage/counting_device.h"
#include "image/chunk_transfers.h"
#include "image/image_bed.h"
#include "image/seal_bed.h"
#include "support/fault_block_device.h"
#include "support/page_patterns.h"

namespace dormouse::test {
namespace {

constexpr std::uint32_t kChunkBytes = 4096;
constexpr std::size_t kSlots = ring_slots(2, kDeviceRequests);
/// Two pages of the map, and more chunks than there are slots.
constexpr std::uint64_t kChunks = 100;
static_assert(kChunks > kSlots);

class WatchedProgress final : public Progress {
 public:
  void begin(std::string_view phase, std::uint64_t total_bytes) override {
    EXPECT_EQ(phase, "read");
    EXPECT_EQ(total_bytes, kChunks * kChunkBytes);
    ++begun_;
  }
  void advance(std::uint64_t) override { EXPECT_EQ(begun_, 1); }
  void end() override { ++ended_; }
  bool stop_requested() override { return stop_; }

  void stop() { stop_ = true; }
  [[nodiscard]] int begun() const { return begun_; }
  [[nodiscard]] int ended() const { return ended_; }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<int> begun_ = 0;
  std::atomic<int> ended_ = 0;
};

class WatchedSink final : public PageSink {
 public:
  explicit WatchedSink(std::size_t room) : pages_(room) {}
  Result<void> write(std::span<const std::byte> pages) override {
    ++writes_;
    return pages_.write(pages);
  }
  Result<void> finish() override { return pages_.finish(); }
  [[nodiscard]] int writes() const { return writes_; }
  [[nodiscard]] const MemoryPageSink& taken() const { return pages_; }

 private:
  MemoryPageSink pages_;
  std::atomic<int> writes_ = 0;
};

class KeyGateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto seal = make_seal(Cipher::kAes256Ocb);
    auto writer = must(ImageWriter::prepare({.codec = kNone, .chunk_bytes = kChunkBytes}, 4096, &seal));
    MemoryPageSource source(image_);
    NoProgress progress;
    must(bed_.allocator().release_all());
    written_ = must(bed_.write_with(writer, source, bed_.allocator(), progress));
  }

  void open(BlockDevice& device, std::uint64_t ahead_bytes = 0) {
    reader_.emplace(must(ImageReader::prepare(kChunkBytes, 2, ahead_bytes)));
    must(reader_->open(device, written_.header_at, bed_.bounds()));
  }

  /// Reads on a thread of its own while `meanwhile` runs on this one.
  Result<TransferFigures> read_while(const std::function<void()>& meanwhile) {
    Result<TransferFigures> how = fail(Errc::kIo, "not yet read");
    {
      const std::jthread reading([&] { how = reader_->read(sink_, progress_, &gate_); });
      meanwhile();
    }
    EXPECT_TRUE(gate_.decided()) << "whoever asks would ask for ever";
    EXPECT_EQ(progress_.begun(), progress_.ended());
    EXPECT_EQ(sink_.taken().finished(), how.has_value());
    return how;
  }

  static void await(const std::function<bool()>& condition) {
    while (!condition()) std::this_thread::yield();
  }

  void expect_whole(const Result<TransferFigures>& how) const {
    ASSERT_TRUE(how) << how.error().what();
    EXPECT_TRUE(sink_.taken().pages() == image_);
    EXPECT_EQ(progress_.begun(), 1);
  }
  void expect_nothing(const Result<TransferFigures>& how, Errc code) const {
    ASSERT_FALSE(how);
    EXPECT_EQ(how.error().code, code) << how.error().what();
    EXPECT_EQ(sink_.writes(), 0) << "something was passed on without a key";
    EXPECT_EQ(progress_.begun(), 0);
  }

  std::vector<std::byte> image_ = make_mix(9, kChunks* kChunkBytes);
  MemoryBlockDevice disk_ = make_swap_disk({});
  ImageBed bed_{disk_};
  WrittenImage written_;
  std::optional<ImageReader> reader_;
  KeyGate gate_;
  WatchedProgress progress_;
  WatchedSink sink_{kChunks * kChunkBytes};
};

TEST_F(KeyGateTest, AGateThatIsOpenIsNone) {
  open(disk_);
  must(reader_->unlock(make_raw_key()));
  gate_.open();
  expect_whole(read_while([] {}));
}

TEST_F(KeyGateTest, AllSlotsAreFilledWhileItIsClosed) {
  CountingDevice device(disk_);
  open(device);
  const auto how = read_while([&] {
    // The image header, the first page of the map, and one request for each slot.
    await([&] { return device.reads() >= 2 + kSlots; });
    EXPECT_EQ(sink_.writes(), 0);
    EXPECT_EQ(progress_.begun(), 0);
    must(reader_->unlock(make_raw_key()));
    gate_.open();
  });
  expect_whole(how);
}

TEST_F(KeyGateTest, AllOfTheImageIsReadAheadWhereThereIsRoom) {
  CountingDevice device(disk_);
  open(device, 2 * kChunks * kChunkBytes);
  const std::uint64_t all = 1 + written_.map_pages + kChunks;
  const auto how = read_while([&] {
    await([&] { return device.reads() >= all; });
    EXPECT_EQ(sink_.writes(), 0);
    must(reader_->unlock(make_raw_key()));
    gate_.open();
  });
  expect_whole(how);
  EXPECT_EQ(device.reads(), all) << "nothing is read twice";
}

TEST_F(KeyGateTest, TheTimeCountsFromItsOpening) {
  constexpr std::uint64_t kAsked = 50'000'000;
  CountingDevice device(disk_);
  open(device);
  const std::uint64_t begun = now_ns();
  const auto how = read_while([&] {
    must(reader_->unlock(make_raw_key()));
    // Reading has begun; from here on somebody thinks.
    await([&] { return device.reads() >= 2 + kSlots; });
    const std::uint64_t full = now_ns();
    await([&] { return now_ns() >= full + kAsked; });
    gate_.open();
  });
  const std::uint64_t all = now_ns() - begun;
  expect_whole(how);
  EXPECT_LE(how->duration_ns + kAsked, all);
}

TEST_F(KeyGateTest, AWrongKeyIsNotTheEnd) {
  open(disk_);
  const auto how = read_while([&] {
    const auto wrong = reader_->unlock(bytes_of(kPassphrase));
    EXPECT_EQ(wrong.error().code, Errc::kWrongKey);
    must(reader_->unlock(make_raw_key()));
    gate_.open();
  });
  expect_whole(how);
}

TEST_F(KeyGateTest, ItsRefusalEndsTheReading) {
  const Error refusal = fail(Errc::kWrongKey, "ask for the passphrase").because("three times").error();
  open(disk_);
  gate_.refuse(refusal);
  expect_nothing(read_while([] {}), Errc::kWrongKey);
  CountingDevice device(disk_);
  // Before anything is read, with the map begun, and with every slot filled.
  for (const std::uint64_t reads : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1 + kSlots}}) {
    open(device);
    KeyGate gate;
    Result<TransferFigures> how = fail(Errc::kIo, "not yet read");
    const std::uint64_t before = device.reads();
    {
      const std::jthread reading([&] { how = reader_->read(sink_, progress_, &gate); });
      await([&] { return device.reads() >= before + reads; });
      gate.refuse(refusal);
    }
    expect_nothing(how, Errc::kWrongKey);
    EXPECT_NE(how.error().what().find("three times"), std::string::npos);
  }
}

TEST_F(KeyGateTest, WhoStopsItWhileItIsClosedIsHeard) {
  CountingDevice device(disk_);
  open(device);
  const auto how = read_while([&] {
    await([&] { return device.reads() >= 2 + kSlots; });
    progress_.stop();
  });
  expect_nothing(how, Errc::kStopped);
  EXPECT_EQ(gate_.wait().error().code, Errc::kStopped) << "whoever asks learns why";
}

TEST_F(KeyGateTest, ADeviceThatFailsMeanwhileEndsTheAsking) {
  for (std::uint64_t call = 1; call < 2 + kSlots; ++call) {
    SCOPED_TRACE(fmt::format("call {} of the device fails", call));
    FaultBlockDevice faulty(disk_, {.fail_at_call = call});
    open(faulty);
    KeyGate gate;
    const auto how = reader_->read(sink_, progress_, &gate);
    expect_nothing(how, Errc::kIo);
    EXPECT_EQ(gate.wait().error().code, Errc::kIo);
  }
}

TEST_F(KeyGateTest, AMapThatIsDamagedEndsTheAsking) {
  disk_.mutable_bytes(2 * 4096 + 100, 1)[0] ^= std::byte{1};
  open(disk_);
  expect_nothing(read_while([] {}), Errc::kCorrupt);
}

TEST_F(KeyGateTest, ChunksThatAreTooLargeEndTheAsking) {
  KeyGate gate;
  auto small = must(ImageReader::prepare(kChunkBytes, 1));
  MemoryBlockDevice disk = make_swap_disk({});
  ImageBed bed(disk);
  auto seal = make_seal();
  auto writer = must(ImageWriter::prepare({.codec = kNone, .chunk_bytes = 2 * kChunkBytes}, 4096, &seal));
  MemoryPageSource source(image_);
  NoProgress progress;
  const auto written = must(bed.write_with(writer, source, bed.allocator(), progress));
  must(small.open(disk, written.header_at, bed.bounds()));
  expect_nothing(small.read(sink_, progress_, &gate), Errc::kUsage);
  EXPECT_TRUE(gate.decided());
}

TEST_F(KeyGateTest, OpenedWithoutAKeyItLetsNothingThrough) {
  open(disk_);
  gate_.open();
  const auto how = read_while([] {});
  ASSERT_FALSE(how);
  EXPECT_EQ(how.error().code, Errc::kUsage);
  EXPECT_EQ(sink_.writes(), 0);
}

// The disk said that it was sealed when somebody was asked for the key.
TEST_F(KeyGateTest, NothingOfAPlainImageComesThrough) {
  MemoryBlockDevice disk = make_swap_disk({});
  ImageBed bed(disk);
  const auto written = must(bed.write(image_, {.codec = kNone, .chunk_bytes = kChunkBytes}));
  auto reader = must(ImageReader::prepare(kChunkBytes, 1));
  must(reader.open(disk, written.header_at, bed.bounds()));
  gate_.open();
  expect_nothing(reader.read(sink_, progress_, &gate_), Errc::kCorrupt);
}

TEST(KeyGate, TheFirstDecisionCounts) {
  const Error refusal = fail(Errc::kStopped, "ask").error();
  KeyGate open;
  EXPECT_FALSE(open.decided());
  EXPECT_FALSE(open.opened_at_ns());
  EXPECT_TRUE(open.open());
  EXPECT_FALSE(open.refuse(refusal));
  EXPECT_TRUE(open.wait());
  EXPECT_TRUE(open.opened_at_ns());
  KeyGate refused;
  EXPECT_TRUE(refused.refuse(refusal));
  EXPECT_FALSE(refused.open());
  EXPECT_EQ(refused.wait().error().code, Errc::kStopped);
  EXPECT_TRUE(refused.decided());
  EXPECT_FALSE(refused.opened_at_ns());
}

TEST(ReadAhead, TakesNoMoreMemoryThanTheKernelRegisters) {
  const auto none = must(ImageReader::prepare(64 * 1024, 2));
  const auto some = must(ImageReader::prepare(64 * 1024, 2, 8 << 20));
  EXPECT_GE(some.memory_bytes(), none.memory_bytes() + (8U << 20));
  EXPECT_LE(some.memory_bytes(), none.memory_bytes() + (12U << 20)) << "and what the places of chunks take";
}

}  // namespace
}  // namespace dormouse::test
