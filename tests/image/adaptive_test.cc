/// `--compress=auto` on real codecs: what is chosen, and that nothing is lost by it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "image/image_bed.h"
#include "support/page_patterns.h"

namespace dormouse::test {
namespace {

std::vector<std::byte> pages_of(PagePattern pattern, std::size_t pages) {
  return make_pattern(pattern, 1, pages * kMinPageBytes);
}

ImageOptions adaptive(unsigned threads = 1) {
  return {.adaptive = true, .chunk_bytes = 16 * kMinPageBytes, .threads = threads};
}

TEST(AdaptiveCodec, EveryRungComesBackByteForByte) {
  for (const unsigned threads : {1U, 3U}) {
    const SwapShape shape{.last_page = 4095};
    MemoryBlockDevice disk = make_swap_disk(shape);
    ImageBed bed(disk, shape);
    auto image = pages_of(PagePattern::kText, 700);
    const auto noise = pages_of(PagePattern::kRandom, 700);
    image.insert(image.end(), noise.begin(), noise.end());
    const auto written = bed.write(image, adaptive(threads));
    ASSERT_TRUE(written) << written.error().what();
    std::uint64_t counted = 0;
    const ImageInfo info = bed.info();
    for (std::size_t i = 0; i < written->codecs.size(); ++i) {
      counted += written->codecs[i].chunks;
      EXPECT_EQ(info.codecs[i].chunks, written->codecs[i].chunks);
      if (info.codecs[i].chunks == 0) continue;
      EXPECT_EQ(info.codecs[i].codec, written->codecs[i].codec);
    }
    EXPECT_EQ(counted, written->chunks);
    EXPECT_TRUE(info.options.adaptive);
    EXPECT_EQ(bed.read(bed.header_at()).value(), image);
  }
}

TEST(AdaptiveCodec, EmptyPagesCostNextToNothing) {
  const SwapShape shape{.last_page = 4095};
  MemoryBlockDevice disk = make_swap_disk(shape);
  ImageBed bed(disk, shape);
  const auto image = pages_of(PagePattern::kZero, 1600);
  const auto written = bed.write(image, adaptive());
  ASSERT_TRUE(written);
  EXPECT_EQ(written->codecs[0].chunks, 0U) << "storing them as they are is what costs";
  EXPECT_EQ(written->image.stored_bytes / kMinPageBytes, 100U + written->map_pages + 1)
      << "a page for each chunk";
}

TEST(AdaptiveCodec, FitsIntoLittleRoomByPackingHarder) {
  // 1600 pages of text into 850: no mix that stores much of it fits.
  const SwapShape shape{.last_page = 850};
  MemoryBlockDevice disk = make_swap_disk(shape);
  ImageBed bed(disk, shape);
  const auto image = pages_of(PagePattern::kText, 1600);
  // How weakly the first chunks are packed depends on time: on a busy machine they may foretell a shortage
  // that does not come, and s2disk then begins anew without foretelling. What is asked here is whether it
  // fits.
  ImageOptions options = adaptive();
  options.foresee_shortage = false;
  const auto written = bed.write(image, options);
  ASSERT_TRUE(written) << written.error().what();
  EXPECT_EQ(written->codecs[0].chunks, 0U);
  EXPECT_EQ(bed.read(bed.header_at()).value(), image);
}

TEST(AdaptiveCodec, SaysWhenNothingIsStrongEnough) {
  const SwapShape shape{.last_page = 400};
  MemoryBlockDevice disk = make_swap_disk(shape);
  ImageBed bed(disk, shape);
  const auto written = bed.write(pages_of(PagePattern::kRandom, 1600), adaptive());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::kNoSpace);
}

}  // namespace
}  // namespace dormouse::test
