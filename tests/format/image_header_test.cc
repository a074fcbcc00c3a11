/// The image header decoder: every field damaged, with and without a checksum that fits.
#include "format/image_header.h"

#include <gtest/gtest.h>

#include <string>

#include "dormouse/image_options.h"

#include "format/record_damage.h"

namespace dormouse::test {
namespace {

constexpr DeviceOffset kAt{4096};

ImageHeaderPage make_record(std::uint32_t page_bytes = 4096) {
  ImageHeaderPage record;
  ImageHeader& h = record.header;
  h.page_bytes = page_bytes;
  h.chunk_pages = 16;
  h.image_id.fill(std::byte{0x5a});
  h.created_unix_seconds = 1'700'000'000;
  h.image_pages = 1000;
  h.chunk_count = 63;
  h.map_first_page = 2;
  h.map_pages = 1;
  h.stored_pages = 700;
  h.codecs[2] = {.codec = 2, .level = 1, .chunks = 63};
  h.platform = 1;
  const SwapShape shape{.page_bytes = page_bytes};
  h.original_tail = get_tail(make_swap_page(shape));
  put_text(h.host, "dozy");
  return record;
}

std::vector<std::byte> encode(ImageHeaderPage record) {
  std::vector<std::byte> page(4096, std::byte{0xee});
  encode_image_header(record, page);
  return page;
}

/// Gives damaged bytes a checksum that fits: what a hostile image does.
void reseal(std::span<std::byte> page) {
  put_integer(page, 3576, 0, 8);
  put_integer(page, 3576, xxh3(page.first(3584)), 8);
}

TEST(ImageHeader, ComesBackAsItWasWritten) {
  for (const std::uint32_t page_bytes : {4096U, 8192U, 16384U, 65536U}) {
    ImageHeaderPage record = make_record(page_bytes);
    record.note = make_note(record.header.image_id);
    record.note.attempts = 3;
    record.note.state = 1;
    record.note.read = to_record({.duration_ns = 1, .flush_ns = 2, .source_wait_ns = 3});
    std::vector<std::byte> page(page_bytes, std::byte{0xee});
    encode_image_header(record, page);
    const auto decoded = decode_image_header(page, kAt);
    ASSERT_TRUE(decoded) << decoded.error().what();
    EXPECT_EQ(std::memcmp(&*decoded, &record, sizeof record), 0);
    EXPECT_EQ(from_record(decoded->note.read),
              (TransferFigures{.duration_ns = 1, .flush_ns = 2, .source_wait_ns = 3}));
    EXPECT_EQ(get_text(decoded->header.host), "dozy");
  }
}

TEST(ImageHeader, EveryChangedByteIsFound) {
  const auto page = encode(make_record());
  for (std::size_t i = 0; i < 3584; ++i) {
    auto damaged = page;
    damaged[i] ^= std::byte{0x20};
    const auto decoded = decode_image_header(damaged, kAt);
    ASSERT_FALSE(decoded) << "byte " << i;
    EXPECT_EQ(decoded.error().code, Errc::kCorrupt) << "byte " << i;
    EXPECT_EQ(decoded.error().offset, 4096U);
  }
}

TEST(ImageHeader, EveryDamagedFieldIsFoundWhereTheChecksumDoesNotFit) {
  const auto page = encode(make_record());
  for (const Field& field : {Field{"version", 8, 4},
                             {"features required", 12, 4},
                             {"features optional", 16, 4},
                             {"byte order", 20, 1},
                             {"page size", 24, 4},
                             {"chunk pages", 28, 4},
                             {"image id", 32, 16},
                             {"image pages", 56, 8},
                             {"chunk count", 64, 8},
                             {"map first page", 72, 8},
                             {"map pages", 80, 8},
                             {"stored pages", 88, 8},
                             {"digest", 120, 16},
                             {"checksum", 3576, 8}}) {
    for_each_damage(page, field, [&](const std::string& what, std::span<std::byte> damaged) {
      const auto decoded = decode_image_header(damaged, kAt);
      ASSERT_FALSE(decoded) << what;
      EXPECT_EQ(decoded.error().code, Errc::kCorrupt) << what;
    });
  }
}

/// Fields that a reader relies on: no value may pass that it cannot work with, though the checksum fits.
TEST(ImageHeader, NoBoundIsTrustedBecauseTheChecksumFits) {
  const auto page = encode(make_record());
  for (const Field& field : {Field{"version", 8, 4},
                             {"features required", 12, 4},
                             {"byte order", 20, 1},
                             {"platform", 23, 1},
                             {"page size", 24, 4},
                             {"chunk pages", 28, 4},
                             {"image pages", 56, 8},
                             {"chunk count", 64, 8},
                             {"map first page", 72, 8},
                             {"map pages", 80, 8},
                             {"stored pages", 88, 8},
                             {"reserved 1", 188, 4},
                             {"codecs", 408, 128},
                             {"reserved", 536, 3040},
                             {"reserved, its end", 2640, 936}}) {
    for_each_damage(page, field, [&](const std::string& what, std::span<std::byte> damaged) {
      reseal(damaged);
      const auto decoded = decode_image_header(damaged, kAt);
      if (!decoded) {
        EXPECT_EQ(decoded.error().code, Errc::kCorrupt) << what;
        return;
      }
      const ImageHeader& h = decoded->header;
      EXPECT_EQ(h.version, 1U) << what;
      EXPECT_FALSE(h.sealed()) << what << ": no cipher, no way";
      EXPECT_EQ(h.features_required, 0U) << what;
      EXPECT_EQ(h.byte_order, 1) << what;
      EXPECT_LE(h.platform, 1) << what;
      EXPECT_TRUE(h.page_bytes >= 4096 && h.page_bytes <= 65536 && (h.page_bytes & (h.page_bytes - 1)) == 0)
          << what;
      EXPECT_TRUE(h.chunk_pages >= 1 && h.chunk_pages * std::uint64_t{h.page_bytes} <= kMaxChunkBytes)
          << what;
      EXPECT_EQ(h.chunk_count, divide_up(h.image_pages, h.chunk_pages)) << what;
      EXPECT_TRUE(h.map_first_page > 0 && h.map_pages > 0 && h.map_pages < h.stored_pages) << what;
      EXPECT_EQ(h.reserved_1, 0U) << what;
    });
  }
}

TEST(ImageHeader, ChunksLargerThanAnyReaderTakesAreDamage) {
  ImageHeaderPage record = make_record(65536);
  record.header.chunk_pages = 65;  // 4 MiB and a page
  record.header.chunk_count = 16;
  record.header.codecs[2].chunks = 16;
  EXPECT_EQ(decode_image_header(encode(record), kAt).error().code, Errc::kCorrupt);
  record.header.chunk_pages = 64;
  EXPECT_TRUE(decode_image_header(encode(record), kAt));
}

TEST(ImageHeader, ItsCodecsHavePackedAllItsChunks) {
  ImageHeaderPage record = make_record();
  record.header.codecs[0] = {.codec = 0, .level = 0, .chunks = 3};
  record.header.codecs[2].chunks = 60;
  const auto decoded = decode_image_header(encode(record), kAt);
  ASSERT_TRUE(decoded) << decoded.error().what();
  EXPECT_EQ(from_records(decoded->header.codecs)[2],
            (CodecCount{.codec = {.id = CodecId::kLz4, .level = 1}, .chunks = 60}));
  for (const std::uint64_t wrong : {std::uint64_t{59}, std::uint64_t{61}, UINT64_MAX - 2}) {
    record.header.codecs[2].chunks = wrong;
    const auto refused = decode_image_header(encode(record), kAt);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().code, Errc::kCorrupt);
  }
}

TEST(ImageHeader, TheFutureIsRefusedWithWords) {
  const auto expect_words = [](ImageHeaderPage record, std::string_view words) {
    const auto decoded = decode_image_header(encode(record), kAt);
    ASSERT_FALSE(decoded);
    EXPECT_NE(decoded.error().what().find(words), std::string::npos) << decoded.error().what();
  };
  ImageHeaderPage newer = make_record();
  newer.header.version = 2;
  expect_words(newer, "version 2");
  ImageHeaderPage later = make_record();
  later.header.features_required = 4;
  expect_words(later, "0x4");
  later.header.features_required = 4 | kFeatureSealed;
  expect_words(later, "0x4");
  ImageHeaderPage big_endian = make_record();
  big_endian.header.byte_order = 2;
  expect_words(big_endian, "byte order");
  ImageHeaderPage optional = make_record();
  optional.header.features_optional = 0xffffffff;
  EXPECT_TRUE(decode_image_header(encode(optional), kAt)) << "optional features are ignored";
}

TEST(ImageHeader, CountsThatCannotGoTogetherAreRefused) {
  // 1000 pages in 63 chunks and one map page.
  for (const auto& [stored, fits] :
       {std::pair{64U, false}, {65U, true}, {1002U, true}, {1003U, false}, {0xffffffffU, false}}) {
    ImageHeaderPage record = make_record();
    record.header.stored_pages = stored;
    const auto decoded = decode_image_header(encode(record), kAt);
    EXPECT_EQ(decoded.has_value(), fits) << stored;
    if (!decoded) {
      EXPECT_EQ(decoded.error().code, Errc::kCorrupt);
    }
  }
}

TEST(ImageHeader, ATailThatIsNoSwapSignatureIsRefused) {
  ImageHeaderPage record = make_record();
  record.header.original_tail.signature[0] = 'X';
  EXPECT_EQ(decode_image_header(encode(record), kAt).error().code, Errc::kCorrupt)
      << "it would be written over the swap area's own";
}

TEST(ImageHeader, ADamagedMagicOrVersionIsToldFromAnotherProgramsImage) {
  const auto expect = [](std::size_t at, bool sealed, Errc code, std::string_view words) {
    auto page = encode(make_record());
    page[at] ^= std::byte{1};
    if (sealed) reseal(page);
    const auto decoded = decode_image_header(page, kAt);
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error().code, code);
    EXPECT_NE(decoded.error().what().find(words), std::string::npos) << decoded.error().what();
  };
  expect(0, false, Errc::kCorrupt, "its magic is damaged");
  expect(7, false, Errc::kCorrupt, "its magic is damaged");
  expect(0, true, Errc::kNoImage, "no dormouse image");
  expect(8, false, Errc::kCorrupt, "its format version is damaged");
  expect(8, true, Errc::kCorrupt, "needs another dormouse");
}

TEST(ImageHeader, AnythingElseIsNoImage) {
  EXPECT_EQ(decode_image_header(std::vector<std::byte>(4096), kAt).error().code, Errc::kNoImage);
  EXPECT_EQ(decode_image_header(std::vector<std::byte>(4096, std::byte{0xff}), kAt).error().code,
            Errc::kNoImage);
  EXPECT_FALSE(decode_image_header(std::vector<std::byte>(4095), kAt));
  EXPECT_FALSE(decode_image_header({}, kAt));
}

TEST(ResumeNote, DamagedOrForeignIsReadAsNone) {
  ImageHeaderPage record = make_record();
  record.note = make_note(record.header.image_id);
  record.note.attempts = 7;
  auto reserved = record;
  reserved.note.reserved[447] = std::byte{1};
  EXPECT_EQ(decode_image_header(encode(reserved), kAt)->note.attempts, 0U) << "not of this version";
  const auto page = encode(record);
  for (std::size_t i = 3584; i < 4096; ++i) {
    auto damaged = page;
    damaged[i] ^= std::byte{1};
    const auto decoded = decode_image_header(damaged, kAt);
    ASSERT_TRUE(decoded) << "the note is no part of the image: byte " << i;
    EXPECT_EQ(decoded->note.attempts, 0U) << "byte " << i;
  }
  ImageHeaderPage foreign = make_record();
  ImageId other{};
  foreign.note = make_note(other);
  foreign.note.attempts = 7;
  EXPECT_EQ(decode_image_header(encode(foreign), kAt)->note.attempts, 0U);
}

TEST(TextField, IsCutAndPadded) {
  std::array<char, 8> field;
  put_text(field, "dormouse in a teapot");
  EXPECT_EQ(get_text(field), "dormous");
  put_text(field, "");
  EXPECT_EQ(get_text(field), "");
  field.fill('x');
  EXPECT_EQ(get_text(field), "xxxxxxxx") << "no terminator: no reading past the end";
}

}  // namespace
}  // namespace dormouse::test
