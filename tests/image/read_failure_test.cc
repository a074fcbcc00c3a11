/// Damage, device errors and a sink that refuses: nothing unchecked is passed on, and the place is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "image/image_bed.h"
#include "image/reference_image.h"
#include "support/fault_block_device.h"
#include "support/page_patterns.h"

namespace dormouse::test {
namespace {

constexpr std::uint64_t kPages = 40;
constexpr std::uint32_t kChunkPages = 4;

struct Written {
  std::vector<std::byte> image = make_mix(11, kPages * 4096);
  MemoryBlockDevice disk = make_swap_disk({});
  std::unique_ptr<ImageBed> bed = std::make_unique<ImageBed>(disk);
  WrittenImage result;

  explicit Written(const CodecSpec& codec = kLz4) {
    auto written = bed->write(image, {.codec = codec, .chunk_bytes = kChunkPages * 4096, .threads = 2});
    if (!written) throw std::runtime_error(written.error().what());
    result = *written;
  }
  /// Reads the damaged disk: must fail, and must have delivered a prefix of whole chunks.
  Error read_damaged() {
    std::vector<std::byte> delivered;
    const auto read = bed->read(result.header_at, 2, &delivered);
    EXPECT_FALSE(read);
    if (read) return {};
    EXPECT_LT(delivered.size(), image.size() + 1);
    EXPECT_EQ(delivered.size() % 4096, 0U);
    EXPECT_TRUE(std::equal(delivered.begin(), delivered.end(), image.begin()))
        << "something damaged was passed on";
    return read.error();
  }
};

TEST(ImageReader, FindsAFlippedBitInEveryPageOfTheImage) {
  for (const CodecSpec& codec : {kNone, kLz4, kZstd, kLzf}) {
    Written w(codec);
    const std::uint64_t pages = w.result.image.stored_bytes / 4096;
    for (std::uint64_t page = 1; page <= pages; ++page) {
      for (const std::uint64_t byte : {0U, 1U, 77U, 2048U, 4095U}) {
        SCOPED_TRACE(fmt::format("{}: page {}, byte {}", codec_name(codec.id), page, byte));
        // The resume note, the last 512 bytes of the header page, is allowed to be damaged.
        if (page_offset(page, 4096) == w.result.header_at && byte >= 3584) continue;
        auto at = w.disk.mutable_bytes(page * 4096 + byte, 1);
        at[0] ^= std::byte{0x10};
        const Error error = w.read_damaged();
        EXPECT_EQ(error.code, Errc::kCorrupt) << error.what();
        at[0] ^= std::byte{0x10};
      }
    }
    ASSERT_TRUE(w.bed->read(w.result.header_at)) << "the damage was undone";
  }
}

TEST(ImageReader, NamesChunkPageRangeAndPlaceOfDamage) {
  Written w(kNone);
  // Free layout: header at page 1, map at page 2, chunk n at pages 3 + 4n.
  w.disk.mutable_bytes((3 + 4 * 5 + 2) * 4096, 1)[0] ^= std::byte{1};
  const Error error = w.read_damaged();
  const std::string what = error.what();
  EXPECT_NE(what.find("chunk 5"), std::string::npos) << what;
  EXPECT_NE(what.find("pages 20 to 23"), std::string::npos) << what;
  EXPECT_EQ(error.offset, (3 + 4 * 5) * 4096U) << what;
  EXPECT_EQ(error.object.view(), "disk");
  EXPECT_EQ(exit_code(error.code), 3);
}

TEST(ImageReader, DeliversWholeChunksBeforeTheDamage) {
  Written w(kNone);
  w.disk.mutable_bytes((3 + 4 * 9) * 4096, 1)[0] ^= std::byte{1};
  std::vector<std::byte> delivered;
  EXPECT_FALSE(w.bed->read(w.result.header_at, 1, &delivered));
  EXPECT_LE(delivered.size(), 9U * kChunkPages * 4096);
}

TEST(ImageReader, FindsTwoChunksExchanged) {
  Written w(kNone);
  const auto a = w.disk.mutable_bytes(3 * 4096, 4 * 4096);
  const auto b = w.disk.mutable_bytes((3 + 4) * 4096, 4 * 4096);
  std::swap_ranges(a.begin(), a.end(), b.begin());
  EXPECT_EQ(w.read_damaged().code, Errc::kCorrupt);
}

TEST(ImageReader, FindsAnOldImageUnderAShorterNewOne) {
  Written w(kNone);
  const auto old = w.disk.clone();
  w.bed->allocator().release_all().value();
  const auto shorter = make_mix(12, 20 * 4096);
  ASSERT_TRUE(w.bed->write(shorter, {.codec = kNone, .chunk_bytes = kChunkPages * 4096}));
  // The new header with the old map, and the new map with an old header.
  std::ranges::copy(old.bytes().subspan(2 * 4096, 4096), w.disk.mutable_bytes(2 * 4096, 4096).begin());
  const Error error = w.read_damaged();
  EXPECT_EQ(error.code, Errc::kCorrupt);
  EXPECT_NE(error.what().find("another image"), std::string::npos) << error.what();
}

TEST(ImageReader, FindsTruncationOfTheDevice) {
  Written w(kLz4);
  const std::uint64_t pages = w.result.image.stored_bytes / 4096;
  for (std::uint64_t keep = 2; keep <= pages; ++keep) {
    MemoryBlockDevice shorter(keep * 4096, "disk");
    std::ranges::copy(w.disk.bytes().first(keep * 4096), shorter.mutable_bytes(0, keep * 4096).begin());
    auto reader = ImageReader::prepare(kChunkPages * 4096, 2);
    // Also where whoever calls gave bounds that are larger than the device.
    for (const ImageBounds& bounds : {ImageBounds{.end_page = keep}, w.bed->bounds()}) {
      const auto opened = reader->open(shorter, w.result.header_at, bounds);
      ASSERT_FALSE(opened) << keep << " pages are left";
      EXPECT_EQ(opened.error().code, Errc::kCorrupt) << opened.error().what();
    }
  }
}

TEST(ImageReader, RefusesAPlaceOutsideTheDevice) {
  Written w;
  auto reader = ImageReader::prepare(4096, 1);
  for (const std::uint64_t at : {w.disk.size_bytes(), w.disk.size_bytes() + 4096, ~std::uint64_t{0} - 4095,
                                 std::uint64_t{4097}, w.disk.size_bytes() - 512}) {
    const auto opened = reader->open(w.disk, DeviceOffset{at}, w.bed->bounds());
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Errc::kCorrupt) << opened.error().what();
  }
}

TEST(ImageReader, SaysSoWhereItsBuffersAreTooSmall) {
  Written w;
  const auto read = w.bed->read(w.result.header_at, 1, nullptr, kChunkPages * 4096 - 4096);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::kUsage);
}

TEST(ImageReader, IgnoresADamagedNote) {
  Written w;
  auto reader = ImageReader::prepare(kChunkPages * 4096, 1);
  ASSERT_TRUE(reader->open(w.disk, w.result.header_at, w.bed->bounds()));
  ASSERT_TRUE(reader->note_read({.duration_ns = 5}));
  w.disk.mutable_bytes(to_bytes(w.result.header_at) + 3620, 1)[0] ^= std::byte{1};
  ASSERT_TRUE(reader->open(w.disk, w.result.header_at, w.bed->bounds()));
  EXPECT_FALSE(reader->info().loaded);
  EXPECT_EQ(reader->read_figures(), TransferFigures{});
}

TEST(ImageReader, StopsWhenAskedTo) {
  class StopAtOnce final : public Progress {
    void begin(std::string_view, std::uint64_t) override { ++open_; }
    void advance(std::uint64_t) override {}
    void end() override { --open_; }
    bool stop_requested() override { return true; }

   public:
    int open_ = 0;
  } progress;
  Written w;
  auto reader = ImageReader::prepare(kChunkPages * 4096, 2);
  ASSERT_TRUE(reader->open(w.disk, w.result.header_at, w.bed->bounds()));
  NullPageSink sink;
  const auto read = reader->read(sink, progress);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::kStopped);
  EXPECT_EQ(progress.open_, 0);
}

TEST(ImageReader, SurvivesAFailureOfEveryDeviceCall) {
  Written w;
  for (std::uint64_t call = 0;; ++call) {
    SCOPED_TRACE(fmt::format("call {} of the device fails", call));
    FaultBlockDevice faulty(w.disk, {.fail_at_call = call});
    auto reader = ImageReader::prepare(kChunkPages * 4096, 2);
    auto done = reader->open(faulty, w.result.header_at, w.bed->bounds());
    NullPageSink sink;
    NoProgress progress;
    if (done) {
      if (auto read = reader->read(sink, progress); !read) done = std::unexpected(read.error());
    }
    if (!faulty.fired()) {
      EXPECT_TRUE(done);
      EXPECT_GT(call, 10U);
      break;
    }
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::kIo);
    EXPECT_EQ(done.error().errnum, EIO);
  }
}

TEST(ImageReader, EndsWhenTheSinkRefuses) {
  Written w;
  for (const std::uint64_t refused : {0U, 3U, 9U}) {
    auto reader = ImageReader::prepare(kChunkPages * 4096, 3);
    ASSERT_TRUE(reader->open(w.disk, w.result.header_at, w.bed->bounds()));
    MemoryPageSink sink(w.image.size());
    sink.fail_at_write(refused);
    NoProgress progress;
    const auto read = reader->read(sink, progress);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().errnum, EFAULT);
    EXPECT_FALSE(sink.finished());
    EXPECT_EQ(sink.pages().size(), refused * kChunkPages * 4096);
  }
}

}  // namespace
}  // namespace dormouse::test
