/// Whatever goes wrong while an image is written: the error says what, nothing hangs, and the swap header is
/// as it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "image/image_bed.h"
#include "support/fault_block_device.h"
#include "support/page_patterns.h"

namespace dormouse::test {
namespace {

constexpr std::uint64_t kPages = 60;
const ImageOptions kOptions{.codec = kLz4, .chunk_bytes = 4 * 4096, .threads = 2};

std::vector<std::byte> test_image() {
  return make_mix(7, kPages * 4096);
}

/// Stops once `stop_at` bytes were seen; remembers what it was told.
class WatchedProgress final : public Progress {
 public:
  explicit WatchedProgress(std::uint64_t stop_at = ~std::uint64_t{0}) : stop_at_(stop_at) {}
  void begin(std::string_view, std::uint64_t total_bytes) override {
    ++begins;
    total = total_bytes;
  }
  void advance(std::uint64_t done_bytes) override {
    EXPECT_GE(done_bytes, last) << "progress went backwards";
    last = done_bytes;
  }
  void end() override { ++ends; }
  bool stop_requested() override { return last >= stop_at_; }

  int begins = 0;
  int ends = 0;
  std::uint64_t total = 0;
  std::uint64_t last = 0;

 private:
  std::uint64_t stop_at_;
};

/// Writes one image with whatever is wrong in `source`; checks what must hold after every failure.
Result<WrittenImage> write_badly(PageSource& source, Progress& progress,
                                 const ImageOptions& options = kOptions) {
  MemoryBlockDevice disk = make_swap_disk({});
  ImageBed bed(disk);
  const auto written = bed.write(source, options, bed.allocator(), progress);
  EXPECT_TRUE(swap_page_of(disk, {}) == make_swap_page({})) << "the swap header was touched";
  if (!written) {
    auto reader = ImageReader::prepare(options.chunk_bytes, 1);
    EXPECT_EQ(reader->open(disk, bed.header_at(), bed.bounds()).error().code, Errc::kNoImage)
        << "a header was left behind";
  }
  return written;
}

TEST(ImageWriter, TellsProgressFromBeginToEnd) {
  const auto image = test_image();
  MemoryPageSource source(image);
  WatchedProgress progress;
  ASSERT_TRUE(write_badly(source, progress));
  EXPECT_EQ(progress.begins, 1);
  EXPECT_EQ(progress.ends, 1);
  EXPECT_EQ(progress.total, image.size());
  EXPECT_EQ(progress.last, image.size()) << "a finished image must show 100 %";
}

TEST(ImageWriter, StopsWhenAskedTo) {
  const auto image = test_image();
  for (const std::uint64_t stop_at : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{image.size() / 2}}) {
    MemoryPageSource source(image);
    WatchedProgress progress(stop_at);
    const auto written = write_badly(source, progress);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, Errc::kStopped);
    EXPECT_EQ(progress.begins, progress.ends);
  }
}

TEST(ImageWriter, RefusesASourceThatIsNotWhatItAnnounced) {
  const auto image = test_image();
  const std::vector<std::pair<const char*, SourceFault>> faults = {
      {"short by a page", {.announced_pages = kPages + 1}},
      {"short by a chunk", {.announced_pages = kPages + 4}},
      {"long by a page", {.announced_pages = kPages - 1}},
      {"long by a chunk", {.announced_pages = kPages - 4}},
      {"much longer", {.announced_pages = 1}},
      {"fails at once", {.fail_at_page = 0}},
      {"fails at the end", {.fail_at_page = kPages - 1}},
  };
  for (const auto& [name, fault] : faults) {
    SCOPED_TRACE(name);
    MemoryPageSource source(image, 4096, fault);
    WatchedProgress progress;
    const auto written = write_badly(source, progress);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, Errc::kIo) << written.error().what();
    EXPECT_EQ(progress.begins, progress.ends);
  }
}

TEST(ImageWriter, RefusesATornPage) {
  for (const std::uint64_t pages : {kPages - 1, kPages}) {  // inside the last chunk, and behind it
    const auto image = make_mix(7, pages * 4096);
    MemoryPageSource source(image, 4096, {.torn_bytes = 100});
    NoProgress progress;
    const auto written = write_badly(source, progress);
    ASSERT_FALSE(written) << pages;
    EXPECT_EQ(written.error().code, Errc::kIo) << written.error().what();
  }
}

TEST(ImageWriter, RefusesAnEmptySource) {
  MemoryPageSource source({});
  NoProgress progress;
  const auto written = write_badly(source, progress);
  ASSERT_FALSE(written) << "an image of no pages would be marked, and then refused at boot";
}

TEST(ImageWriter, RefusesPagesOfAnotherSize) {
  const auto image = test_image();
  MemoryPageSource source(image, 16384);
  NoProgress progress;
  const auto written = write_badly(source, progress);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::kUsage);
}

TEST(ImageWriter, RefusesOptionsOutOfRange) {
  const auto code = [](const ImageOptions& options, std::uint32_t page_bytes) {
    const auto writer = ImageWriter::prepare(options, page_bytes);
    return writer ? std::optional<Errc>() : writer.error().code;
  };
  EXPECT_EQ(code({.codec = kLz4, .chunk_bytes = 0}, 4096), Errc::kUsage);
  EXPECT_EQ(code({.codec = kLz4, .chunk_bytes = 4097}, 4096), Errc::kUsage);
  EXPECT_EQ(code({.codec = kLz4, .chunk_bytes = 8192}, 16384), Errc::kUsage);
  EXPECT_EQ(code({.codec = kLz4, .chunk_bytes = kMaxChunkBytes + 4096}, 4096), Errc::kUsage);
  EXPECT_EQ(code({.codec = kLz4, .threads = 0}, 4096), Errc::kUsage);
  EXPECT_EQ(code({.codec = kLz4, .threads = kMaxThreads + 1}, 4096), Errc::kUsage);
  EXPECT_EQ(code({.codec = {.id = CodecId::kLz4, .level = 99}}, 4096), Errc::kUsage);
  EXPECT_EQ(code({.codec = kLz4}, 65536), std::nullopt);
}

/// An area of exactly `area_pages` pages for random data, which does not shrink.
Result<WrittenImage> write_into(std::uint64_t area_pages, std::uint64_t image_pages,
                                std::uint32_t chunk_pages, const CodecSpec& codec = kLz4) {
  const SwapShape shape{.last_page = static_cast<std::uint32_t>(area_pages)};
  MemoryBlockDevice disk = make_swap_disk(shape);
  const auto before = disk.clone();
  ImageBed bed(disk, shape);
  const auto image = make_pattern(PagePattern::kRandom, 3, image_pages * 4096);
  const auto written = bed.write(image, {.codec = codec, .chunk_bytes = chunk_pages * 4096, .threads = 2});
  EXPECT_TRUE(swap_page_of(disk, shape) == make_swap_page(shape));
  if (written) {
    const auto read = bed.read(written->header_at);
    EXPECT_TRUE(read && *read == image);
    EXPECT_EQ(*bed.allocator().free_pages(), area_pages - written->image.stored_bytes / 4096);
  }
  return written;
}

TEST(ImageWriter, FillsAnAreaThatIsExactlyLargeEnough) {
  // 100 chunks of one page and their map (72 chunks to a page), 80 pages in chunks of 8 and one map page.
  for (const auto& [pages, chunk, needed] : {std::tuple{100U, 1U, 103U}, {80U, 8U, 82U}}) {
    const auto exact = write_into(needed, pages, chunk);
    ASSERT_TRUE(exact) << exact.error().what();
    EXPECT_EQ(exact->image.stored_bytes, needed * 4096U);
    for (std::uint32_t less = 1; less < needed; less = less < 6 ? less + 1 : 2 * less) {
      const auto tight = write_into(needed - less, pages, chunk);
      ASSERT_FALSE(tight) << less << " less";
      EXPECT_EQ(tight.error().code, Errc::kNoSpace) << tight.error().what();
    }
  }
}

TEST(ImageWriter, SaysHowMuchRoomIsNeededAndHowMuchThereIs) {
  for (const CodecSpec& codec : {kNone, kLz4}) {
    const auto tight = write_into(81, 80, 8, codec);
    ASSERT_FALSE(tight);
    const std::string what = tight.error().what();
    // The image header has its page already: 80 for the image and one for the map, of 80.
    EXPECT_NE(what.find("81"), std::string::npos) << "needed pages: " << what;
    EXPECT_NE(what.find("80 "), std::string::npos) << "pages that were free: " << what;
    EXPECT_NE(what.find("on disk"), std::string::npos) << "where: " << what;
  }
}

TEST(ImageWriter, SurvivesAFailureOfEveryDeviceCall) {
  const auto image = test_image();
  for (const bool for_ever : {false, true}) {
    for (std::uint64_t call = 0;; ++call) {
      MemoryBlockDevice disk = make_swap_disk({});
      ImageBed clean(disk);  // its own read of the header is not part of the sweep
      FaultBlockDevice faulty(disk, {.fail_at_call = call, .fail_for_ever = for_ever});
      auto writer = ImageWriter::prepare(kOptions, 4096);
      ASSERT_TRUE(writer);
      MemoryPageSource source(image);
      WatchedProgress progress;
      const auto written = writer->write(source, faulty, clean.allocator(), DeviceOffset{200 * 4096},
                                         ImageIdentity{}, progress);
      SCOPED_TRACE(fmt::format("call {} of the device fails, for ever: {}", call, for_ever));
      EXPECT_TRUE(swap_page_of(disk, {}) == make_swap_page({}));
      EXPECT_EQ(progress.begins, progress.ends);
      if (!faulty.fired()) {
        EXPECT_TRUE(written);
        EXPECT_GT(call, 15U);
        break;
      }
      ASSERT_FALSE(written);
      EXPECT_EQ(written.error().code, Errc::kIo);
      EXPECT_EQ(written.error().errnum, EIO);
      EXPECT_FALSE(written.error().operation.empty());
    }
  }
}

TEST(ImageWriter, CanBeUsedAgainAfterAFailure) {
  const auto image = test_image();
  auto writer = ImageWriter::prepare(kOptions, 4096);
  ASSERT_TRUE(writer);
  for (const std::uint64_t fail_at : {std::uint64_t{10}, ~std::uint64_t{0}}) {
    MemoryBlockDevice disk = make_swap_disk({});
    ImageBed bed(disk);
    MemoryPageSource source(image, 4096, {.fail_at_page = fail_at});
    NoProgress progress;
    const auto written = bed.write_with(*writer, source, bed.allocator(), progress);
    ASSERT_EQ(written.has_value(), fail_at == ~std::uint64_t{0});
    if (!written) continue;
    const auto read = bed.read(written->header_at);
    ASSERT_TRUE(read) << read.error().what();
    EXPECT_TRUE(*read == image);
  }
}

}  // namespace
}  // namespace dormouse::test
