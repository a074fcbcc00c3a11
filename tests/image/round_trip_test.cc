/// Every shape of image that the writer can produce, read back by the reader and by the oracle; and the
/// oracle's images read by the reader.
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "image/image_bed.h"
#include "image/reference_image.h"
#include "support/fault_block_device.h"
#include "support/page_patterns.h"
#include "support/recording_block_device.h"
#include "swap/scattered_allocator.h"

namespace dormouse::test {
namespace {

constexpr std::uint64_t kSeed = 20060601;

struct Shape {
  CodecSpec codec;
  std::uint32_t page_bytes = 4096;
  std::uint32_t chunk_pages = 4;
  unsigned threads = 1;
  std::uint64_t longest_run = 0;  ///< 0: free layout, one piece
};

std::string print(const Shape& shape, std::uint64_t pages) {
  return fmt::format("{}:{} {} pages of {} bytes, chunks of {}, {} threads, runs up to {}",
                     codec_name(shape.codec.id), shape.codec.level, pages, shape.page_bytes,
                     shape.chunk_pages, shape.threads, shape.longest_run);
}

void expect_round_trip(const Shape& shape, std::uint64_t pages) {
  SCOPED_TRACE(print(shape, pages));
  const auto image = make_mix(kSeed + pages, pages * shape.page_bytes);
  const SwapShape area{.page_bytes = shape.page_bytes,
                       .last_page = static_cast<std::uint32_t>(2 * pages + 40)};
  MemoryBlockDevice disk = make_swap_disk(area);
  ImageBed bed(disk, area);
  MemoryPageSource source(image, shape.page_bytes);
  NoProgress progress;
  ScatteredAllocator scattered(1, area.last_page + 1, std::max<std::uint64_t>(shape.longest_run, 1), kSeed);
  SwapAllocator& allocator = shape.longest_run == 0 ? bed.allocator() : scattered;
  const ImageOptions options{
      .codec = shape.codec, .chunk_bytes = shape.chunk_pages * shape.page_bytes, .threads = shape.threads};
  const auto written = bed.write(source, options, allocator, progress);
  ASSERT_TRUE(written) << written.error().what();
  EXPECT_EQ(written->image.pages, pages);
  EXPECT_EQ(written->image.page_bytes, shape.page_bytes);
  EXPECT_EQ(written->chunks, divide_up(pages, shape.chunk_pages));

  const auto read = bed.read(written->header_at, shape.threads, nullptr, options.chunk_bytes);
  ASSERT_TRUE(read) << read.error().what();
  EXPECT_TRUE(*read == image) << "the reader's stream differs";
  EXPECT_TRUE(read_reference_image(disk, to_bytes(written->header_at)) == image)
      << "the oracle's stream differs";
  const auto swap_page = make_swap_page(area);
  EXPECT_TRUE(swap_page_of(disk, area) == swap_page) << "the swap header was touched";
}

TEST(ImageRoundTrip, EveryPageCountAroundTheChunkLimits) {
  for (const CodecSpec& codec : {kNone, kLzf, kLz4, kZstd, CodecSpec{.id = CodecId::kZstd, .level = -5}}) {
    for (std::uint64_t pages = 1; pages <= 18; ++pages) expect_round_trip({.codec = codec}, pages);
  }
}

TEST(ImageRoundTrip, EveryChunkSize) {
  for (const std::uint32_t chunk_pages : {1U, 2U, 3U, 16U, 64U, 256U, 1024U}) {
    for (const std::int64_t off : {-1, 0, 1}) {
      const auto pages = static_cast<std::uint64_t>(std::max<std::int64_t>(1, chunk_pages + off));
      expect_round_trip({.codec = kLz4, .chunk_pages = chunk_pages}, pages);
    }
  }
}

TEST(ImageRoundTrip, EveryPageSize) {
  for (const std::uint32_t page_bytes : {4096U, 16384U, 65536U}) {
    for (const CodecSpec& codec : {kNone, kLz4, kZstd}) {
      for (const std::uint64_t pages : {1U, 4U, 9U, 33U}) {
        if (pages * page_bytes > 1'000'000) continue;
        expect_round_trip({.codec = codec, .page_bytes = page_bytes}, pages);
        expect_round_trip({.codec = codec, .page_bytes = page_bytes, .threads = 3, .longest_run = 2}, pages);
      }
    }
  }
}

// With 4 KiB pages a map page takes 72 chunks of one extent each (56 bytes); the closing record needs 64
// bytes.
TEST(ImageRoundTrip, EveryChunkCountAroundTheMapLimits) {
  for (const std::uint64_t limit : {71U, 72U, 143U, 144U, 216U}) {
    for (const std::int64_t off : {-1, 0, 1}) {
      expect_round_trip({.codec = kNone, .chunk_pages = 1}, limit + static_cast<std::uint64_t>(off));
    }
  }
}

TEST(ImageRoundTrip, ExtentsThatSpillOverSeveralMapPages) {
  // Single pages in disorder: a chunk of 1024 of them fills two map pages and more.
  for (const std::uint64_t pages : {447U, 448U, 498U, 503U, 504U, 1024U, 1100U}) {
    expect_round_trip({.codec = kNone, .chunk_pages = 1024, .longest_run = 1}, pages);
  }
  for (std::uint64_t pages = 490; pages < 512; ++pages) {
    expect_round_trip({.codec = kNone, .chunk_pages = 1024, .longest_run = 1}, pages);
  }
  expect_round_trip({.codec = kNone, .chunk_pages = 64, .longest_run = 3}, 2000);
}

TEST(ImageRoundTrip, EveryNumberOfThreads) {
  for (unsigned threads = 1; threads <= 4; ++threads) {
    for (const std::uint64_t longest_run : {0U, 7U}) {
      expect_round_trip({.codec = kLz4, .chunk_pages = 3, .threads = threads, .longest_run = longest_run},
                        500);
    }
  }
  expect_round_trip({.codec = kLz4, .chunk_pages = 1, .threads = kMaxThreads}, 100);
}

TEST(ImageRoundTrip, OneKindOfPageEach) {
  for (const auto pattern : {PagePattern::kZero, PagePattern::kText, PagePattern::kCode,
                             PagePattern::kPointers, PagePattern::kRandom}) {
    const auto image = make_pattern(pattern, kSeed, 100 * 4096);
    for (const CodecSpec& codec : {kLzf, kLz4, kZstd}) {
      MemoryBlockDevice disk = make_swap_disk({});
      ImageBed bed(disk);
      const auto written = bed.write(image, {.codec = codec, .chunk_bytes = 16 * 4096, .threads = 2});
      ASSERT_TRUE(written) << written.error().what();
      EXPECT_EQ(written->codecs[1].chunks == 0, pattern == PagePattern::kRandom);
      const auto read = bed.read(written->header_at);
      ASSERT_TRUE(read) << read.error().what();
      EXPECT_TRUE(*read == image);
    }
  }
}

TEST(ImageRoundTrip, AWriterAndAReaderServeManyImages) {
  auto writer = ImageWriter::prepare({.codec = kLz4, .chunk_bytes = 8192, .threads = 2}, 4096);
  ASSERT_TRUE(writer) << writer.error().what();
  auto reader = ImageReader::prepare(8192, 2);
  ASSERT_TRUE(reader) << reader.error().what();
  for (const std::uint64_t pages : {100U, 1U, 77U}) {
    const auto image = make_mix(kSeed, pages * 4096);
    MemoryBlockDevice disk = make_swap_disk({});
    ImageBed bed(disk);
    MemoryPageSource source(image);
    NoProgress progress;
    const auto written = bed.write_with(*writer, source, bed.allocator(), progress);
    ASSERT_TRUE(written) << written.error().what();
    ASSERT_TRUE(reader->open(disk, written->header_at, bed.bounds()));
    for (int again = 0; again < 2; ++again) {
      MemoryPageSink sink(image.size());
      ASSERT_TRUE(reader->read(sink, progress));
      EXPECT_TRUE(sink.pages() == image);
    }
  }
}

TEST(ReferenceImage, IsReadByTheReader) {
  for (const std::uint32_t page_bytes : {4096U, 16384U, 65536U}) {
    for (const std::uint64_t pages : {1U, 3U, 4U, 5U, 64U, 600U}) {
      if (pages * page_bytes > 8'000'000) continue;
      SCOPED_TRACE(fmt::format("{} pages of {}", pages, page_bytes));
      const auto image = make_mix(kSeed, pages * page_bytes);
      const SwapShape area{.page_bytes = page_bytes, .last_page = static_cast<std::uint32_t>(2 * pages + 20)};
      MemoryBlockDevice disk = make_swap_disk(area);
      ReferenceSettings settings{
          .page_bytes = page_bytes, .chunk_pages = 5, .codecs = {kLz4, kNone, kZstd, kLzf}};
      const auto swap_page = make_swap_page(area);
      std::ranges::copy(std::span(swap_page).last(28), settings.original_tail.begin());
      settings.places.resize(area.last_page);
      std::iota(settings.places.rbegin(), settings.places.rend(),
                1);  // from the end of the area to its start
      const auto header_at = write_reference_image(image, settings, disk);
      ASSERT_TRUE(read_reference_image(disk, header_at) == image) << "the oracle does not read its own image";
      ImageBed bed(disk, area);
      const auto read = bed.read(DeviceOffset{header_at}, 2, nullptr, 5 * page_bytes);
      ASSERT_TRUE(read) << read.error().what();
      EXPECT_TRUE(*read == image);
    }
  }
}

TEST(ImageReader, TellsWhatTheHeaderSays) {
  const auto image = make_mix(kSeed, 50 * 4096);
  MemoryBlockDevice disk = make_swap_disk({.header_page = 3});
  ImageBed bed(disk, {.header_page = 3});
  const ImageOptions options{.codec = {.id = CodecId::kZstd, .level = -3},
                             .chunk_bytes = 5 * 4096,
                             .threads = 3,
                             .early_writeout = {.millionths = 5000},
                             .io = IoMode::kBuffered};
  const auto written = bed.write(image, options);
  ASSERT_TRUE(written) << written.error().what();
  auto reader = ImageReader::prepare(5 * 4096, 1);
  ASSERT_TRUE(reader->open(disk, written->header_at, bed.bounds()));
  const ImageInfo info = reader->info();
  EXPECT_EQ(info.image, written->image);
  EXPECT_EQ(info.write, written->write);
  EXPECT_EQ(info.options.codec, options.codec);
  EXPECT_EQ(info.options.chunk_bytes, options.chunk_bytes);
  EXPECT_EQ(info.options.threads, 3U);
  EXPECT_EQ(info.options.early_writeout, options.early_writeout);
  EXPECT_EQ(info.options.io, IoMode::kBuffered);
  EXPECT_EQ(info.host, "testhost");
  EXPECT_EQ(info.kernel_release, "6.1.0-test");
  EXPECT_EQ(info.area_header_page, 3U);
  EXPECT_EQ(info.id.size(), 32U);
  EXPECT_FALSE(info.loaded);
  EXPECT_EQ(reader->original_tail(), bed.area().tail());
}

TEST(ImageReader, NotesWhatBecameOfTheImageDurably) {
  const auto image = make_mix(kSeed, 20 * 4096);
  MemoryBlockDevice disk = make_swap_disk({});
  ImageBed bed(disk);
  const auto written = bed.write(image, {.codec = kLz4, .chunk_bytes = 8192});
  ASSERT_TRUE(written);
  RecordingBlockDevice device(disk);
  auto reader = ImageReader::prepare(4096, 1);
  ASSERT_TRUE(reader->open(device, written->header_at, bed.bounds()));
  const auto noted = [&] {
    EXPECT_EQ(device.events().back().call, RecordingBlockDevice::Call::kFlush);
    EXPECT_EQ(device.count(RecordingBlockDevice::Call::kWrite), 1U);
    device.forget();
    auto again = ImageReader::prepare(4096, 1);
    EXPECT_TRUE(again->open(disk, written->header_at, bed.bounds()));
    return again->info();
  };
  EXPECT_EQ(reader->info().state, ResumeState::kWaiting);
  ASSERT_TRUE(reader->note_attempt());
  EXPECT_EQ(noted().attempts, 1U);
  ASSERT_TRUE(reader->note_attempt());
  EXPECT_EQ(noted().attempts, 2U);
  ASSERT_TRUE(reader->take_back_attempt());
  const ImageInfo info = noted();
  EXPECT_EQ(info.attempts, 1U);
  EXPECT_FALSE(info.loaded) << "a try is not yet a load";
  for (const ResumeState state : {ResumeState::kGivenUp, ResumeState::kJumping, ResumeState::kWaiting}) {
    ASSERT_TRUE(reader->note_state(state));
    EXPECT_EQ(noted().state, state);
  }
}

TEST(ImageReader, ANoteThatFailedDoesNotKeepTheNextOneFromBeingWritten) {
  const auto image = make_mix(kSeed, 20 * 4096);
  MemoryBlockDevice disk = make_swap_disk({});
  ImageBed bed(disk);
  const auto written = bed.write(image, {.codec = kLz4, .chunk_bytes = 8192});
  FaultBlockDevice faulty(disk, {.fail_at_call = 1});
  auto reader = ImageReader::prepare(4096, 1);
  ASSERT_TRUE(reader->open(faulty, written->header_at, bed.bounds()));
  const auto failed = reader->note_attempt();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().operation, "count the try in the image header");
  EXPECT_TRUE(reader->note_state(ResumeState::kGivenUp));
}

TEST(ImageReader, NotesItsFiguresWithoutTouchingTheHeader) {
  const auto image = make_mix(kSeed, 20 * 4096);
  MemoryBlockDevice disk = make_swap_disk({});
  ImageBed bed(disk);
  const auto written = bed.write(image, {.codec = kLz4, .chunk_bytes = 8192});
  ASSERT_TRUE(written);
  const auto before = disk.clone();
  const TransferFigures figures{.duration_ns = 123, .flush_ns = 0, .source_wait_ns = 45};
  for (std::uint32_t attempt = 1; attempt <= 2; ++attempt) {
    auto reader = ImageReader::prepare(8192, 1);
    ASSERT_TRUE(reader->open(disk, written->header_at, bed.bounds()));
    ASSERT_TRUE(reader->note_attempt());
    ASSERT_TRUE(reader->note_read(figures));
    ASSERT_TRUE(reader->note_state(ResumeState::kJumping));
    auto again = ImageReader::prepare(8192, 1);
    ASSERT_TRUE(again->open(disk, written->header_at, bed.bounds()));
    EXPECT_TRUE(again->info().loaded);
    EXPECT_EQ(again->info().attempts, attempt);
    EXPECT_EQ(again->info().state, ResumeState::kJumping);
    EXPECT_EQ(again->read_figures(), figures);
  }
  const auto at = to_bytes(written->header_at);
  for (std::uint64_t i = 0; i < disk.size_bytes(); ++i) {
    if (i >= at + 3584 && i < at + 4096) continue;
    ASSERT_EQ(disk.bytes()[i], before.bytes()[i]) << "byte " << i;
  }
}

}  // namespace
}  // namespace dormouse::test
