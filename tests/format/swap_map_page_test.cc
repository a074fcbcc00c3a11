/// Swap map pages: what the builder makes, the cursor walks; what is damaged, it refuses.
#include "format/swap_map_page.h"

#include <gtest/gtest.h>

#include <string>

#include "format/record_damage.h"

namespace dormouse::test {
namespace {

constexpr DeviceOffset kAt{8192};

ImageId make_id(unsigned char value) {
  ImageId id;
  id.fill(std::byte{value});
  return id;
}

template <class Record>
std::span<const std::byte> bytes_of(const Record& record) {
  return std::as_bytes(std::span(&record, 1));
}

/// A page with one record of each kind.
std::vector<std::byte> make_page(std::uint32_t page_bytes = 4096) {
  std::vector<std::byte> page(page_bytes, std::byte{0xee});
  MapPageBuilder builder(page);
  builder.begin(make_id(1), 3);
  ChunkHeader chunk;
  chunk.extent_count = 1;
  chunk.number = 9;
  const PackedExtent first = pack_extent({.first_page = 77, .pages = 5});
  builder.add(bytes_of(chunk), std::span(&first, 1));
  ExtentsRecord more;
  more.extent_count = 2;
  const PackedExtent others[] = {pack_extent({.first_page = 100, .pages = 1}),
                                 pack_extent({.first_page = 200, .pages = 2})};
  builder.add(bytes_of(more), others);
  builder.add(bytes_of(ClosingRecord{}));
  builder.seal(55);
  return page;
}

void reseal(std::span<std::byte> page) {
  put_integer(page, 56, 0, 8);
  put_integer(page, 56, xxh3(page), 8);
}

/// Walks all records; false at the first that is refused.
bool walk(MapPageCursor cursor, std::size_t& records) {
  for (records = 0; !cursor.at_end(); ++records) {
    const auto record = cursor.next();
    if (!record) {
      EXPECT_EQ(record.error().code, Errc::kCorrupt);
      return false;
    }
  }
  return true;
}

TEST(SwapMapPage, ComesBackAsItWasBuilt) {
  for (const std::uint32_t page_bytes : {4096U, 16384U, 65536U}) {
    const auto page = make_page(page_bytes);
    auto cursor = MapPageCursor::open(page, make_id(1), 3, kAt);
    ASSERT_TRUE(cursor) << cursor.error().what();
    EXPECT_EQ(cursor->next_page(), 55U);
    const auto chunk = cursor->next();
    ASSERT_TRUE(chunk && std::holds_alternative<ChunkHeader>(chunk->record));
    EXPECT_EQ(std::get<ChunkHeader>(chunk->record).number, 9U);
    ASSERT_EQ(chunk->extents.size(), 1U);
    EXPECT_EQ(unpack_extent(chunk->extents[0]), (Extent{.first_page = 77, .pages = 5}));
    const auto more = cursor->next();
    ASSERT_TRUE(more && std::holds_alternative<ExtentsRecord>(more->record));
    EXPECT_EQ(unpack_extent(more->extents[1]), (Extent{.first_page = 200, .pages = 2}));
    const auto closing = cursor->next();
    ASSERT_TRUE(closing && std::holds_alternative<ClosingRecord>(closing->record));
    EXPECT_TRUE(cursor->at_end());
  }
}

TEST(SwapMapPage, APageCanBeFilledToTheLastByte) {
  std::vector<std::byte> page(4096);
  MapPageBuilder builder(page);
  builder.begin(make_id(1), 0);
  EXPECT_EQ(builder.room(), 4032U);
  const ClosingRecord record;
  for (int i = 0; i < 63; ++i) builder.add(bytes_of(record));
  EXPECT_EQ(builder.room(), 0U);
  builder.seal(0);
  auto cursor = MapPageCursor::open(page, make_id(1), 0, kAt);
  ASSERT_TRUE(cursor);
  std::size_t records = 0;
  EXPECT_TRUE(walk(*cursor, records));
  EXPECT_EQ(records, 63U);
}

TEST(SwapMapPage, EveryChangedByteIsFound) {
  const auto page = make_page();
  for (std::size_t i = 0; i < page.size(); ++i) {
    auto damaged = page;
    damaged[i] ^= std::byte{2};
    const auto cursor = MapPageCursor::open(damaged, make_id(1), 3, kAt);
    ASSERT_FALSE(cursor) << "byte " << i;
    EXPECT_EQ(cursor.error().code, Errc::kCorrupt);
    EXPECT_EQ(cursor.error().offset, 8192U);
  }
}

TEST(SwapMapPage, APageOfAnotherImageOrPlaceIsRefused) {
  const auto page = make_page();
  EXPECT_FALSE(MapPageCursor::open(page, make_id(2), 3, kAt));
  EXPECT_FALSE(MapPageCursor::open(page, make_id(1), 2, kAt));
  EXPECT_FALSE(MapPageCursor::open(page, make_id(1), 4, kAt));
  EXPECT_TRUE(MapPageCursor::open(page, make_id(1), 3, kAt));
}

TEST(SwapMapPage, NoRecordIsTrustedBecauseTheChecksumFits) {
  const auto page = make_page();
  // The header's fields, and what steers the walk: types and extent counts of the three records.
  for (const Field& field : {Field{"magic", 0, 8},
                             {"index", 24, 8},
                             {"used bytes", 40, 4},
                             {"reserved 1", 44, 4},
                             {"reserved 2", 48, 8},
                             {"chunk: type", 64, 2},
                             {"chunk: extents", 66, 2},
                             {"extents: type", 120, 2},
                             {"extents: count", 122, 2},
                             {"extents: reserved", 124, 4},
                             {"closing: type", 144, 2}}) {
    for_each_damage(page, field, [&](const std::string& what, std::span<std::byte> damaged) {
      reseal(damaged);
      const auto cursor = MapPageCursor::open(damaged, make_id(1), 3, kAt);
      if (!cursor) {
        EXPECT_EQ(cursor.error().code, Errc::kCorrupt) << what;
        return;
      }
      std::size_t records = 0;
      (void)walk(*cursor, records);  // must end, and stay inside the page (address sanitizer)
      EXPECT_LE(records, 4032U / 8) << what;
    });
  }
}

TEST(SwapMapPage, AnyRecordsAtAllAreWalkedSafely) {
  // Seeded noise behind a header that fits: the walk must neither leave the page nor go on for ever.
  std::uint64_t state = 42;
  for (int round = 0; round < 2000; ++round) {
    auto page = make_page();
    for (std::size_t i = 64; i < page.size(); ++i) {
      state = state * 6364136223846793005 + 1442695040888963407;
      page[i] = static_cast<std::byte>(state >> 56);
      if (i % 8 < 2 && round % 2 == 0)
        page[i] = static_cast<std::byte>(i % 8 == 0 ? 1 + (state >> 60) % 3 : 0);
    }
    put_integer(page, 40, 4032, 4);
    reseal(page);
    const auto cursor = MapPageCursor::open(page, make_id(1), 3, kAt);
    ASSERT_TRUE(cursor);
    std::size_t records = 0;
    (void)walk(*cursor, records);
  }
}

TEST(PackedExtent, HoldsItsLimits) {
  for (const Extent& extent : {Extent{.first_page = 1, .pages = 1},
                               Extent{.first_page = kMaxDevicePages - 1, .pages = kMaxExtentPages},
                               Extent{.first_page = 0x0123456789a, .pages = 1024}}) {
    EXPECT_EQ(unpack_extent(pack_extent(extent)), extent);
  }
  EXPECT_EQ(std::uint64_t{pack_extent({.first_page = 3, .pages = 2})}, (std::uint64_t{2} << 44) | 3);
}

}  // namespace
}  // namespace dormouse::test
