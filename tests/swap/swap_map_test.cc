/// The swap map: written chunk by chunk, followed with trust in nothing.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "dormouse/image_options.h"

#include "support/page_patterns.h"
#include "swap/scattered_allocator.h"
#include "swap/swap_disk.h"
#include "swap/swap_map_reader.h"
#include "swap/swap_map_writer.h"

namespace dormouse::test {
namespace {

constexpr std::uint64_t kDevicePages = 4000;

struct Chunk {
  ChunkHeader header;
  std::vector<Extent> extents;
};

/// A map on a disk, and the image header that goes with it. Chunks are stored as they are, `chunk_pages`
/// each.
struct MapBed {
  std::uint32_t page_bytes;
  MemoryBlockDevice disk;
  ScatteredAllocator allocator;
  ImageHeader header;
  std::vector<Chunk> chunks;
  std::uint64_t header_page = 0;

  MapBed(std::uint32_t page, std::uint64_t chunk_count, std::uint32_t chunk_pages, std::uint64_t longest_run)
      : page_bytes(page), disk(kDevicePages * page, "disk"), allocator(1, kDevicePages, longest_run, 17) {
    header.page_bytes = page_bytes;
    header.chunk_pages = chunk_pages;
    header.image_id.fill(std::byte{7});
    auto writer = SwapMapWriter::prepare(page_bytes).value();
    writer.begin(disk, allocator, header.image_id).value();
    for (std::uint64_t n = 0; n < chunk_count; ++n) {
      Chunk chunk;
      chunk.header.number = n;
      chunk.header.first_page = n * chunk_pages;
      chunk.header.pages = chunk_pages;
      chunk.header.packed_bytes = chunk_pages * page_bytes;
      for (std::uint64_t missing = chunk_pages; missing > 0;) {
        chunk.extents.push_back(allocator.allocate(missing).value());
        missing -= chunk.extents.back().pages;
      }
      writer.add(chunk.header, chunk.extents).value();
      chunks.push_back(chunk);
    }
    header.image_pages = chunk_count * chunk_pages;
    const auto summary = writer.finish(header.image_pages).value();
    header.chunk_count = summary.chunk_count;
    header.map_first_page = summary.first_page;
    header.map_pages = summary.map_pages;
    header.stored_pages = summary.chunk_stored_pages + summary.map_pages + 1;
    header.chunk_digest = summary.chunk_digest;
  }

  Result<void> follow(std::vector<Chunk>* found = nullptr) {
    auto reader = SwapMapReader::prepare().value();
    if (auto r = reader.begin(disk, header, {.end_page = kDevicePages, .header_page = header_page}); !r)
      return r;
    ChunkPlacement placement;
    for (std::uint64_t n = 0; n <= chunks.size() + 1; ++n) {
      const auto more = reader.next(placement);
      if (!more) return std::unexpected(more.error());
      if (!*more) return {};
      if (found != nullptr) found->push_back({.header = placement.header, .extents = placement.extents});
    }
    ADD_FAILURE() << "the map does not end";
    return {};
  }

  /// Byte offset on the disk of map page `index`.
  std::uint64_t map_page(std::uint64_t index) {
    std::uint64_t page = header.map_first_page;
    for (; index > 0; --index) page = get_integer(disk.bytes(), page * page_bytes + 32, 8);
    return page * page_bytes;
  }
  /// Changes map page `index` and gives it a checksum that fits: what a hostile image does.
  void change(std::uint64_t index, const std::function<void(std::span<std::byte>)>& how) {
    const auto page = disk.mutable_bytes(map_page(index), page_bytes);
    how(page);
    put_integer(page, 56, 0, 8);
    put_integer(page, 56, xxh3(page), 8);
  }
  void expect_damage(std::string_view words) {
    const auto followed = follow();
    ASSERT_FALSE(followed) << words;
    EXPECT_EQ(followed.error().code, Errc::kCorrupt);
    EXPECT_NE(followed.error().what().find(words), std::string::npos) << followed.error().what();
    EXPECT_NE(followed.error().offset, Error::kNoOffset);
  }
};

TEST(SwapMap, ComesBackAsItWasWritten) {
  for (const std::uint32_t page_bytes : {4096U, 16384U, 65536U}) {
    for (const std::uint64_t chunk_count : {1U, 2U, 70U, 71U, 72U, 73U, 144U, 300U}) {
      for (const std::uint64_t longest_run : {1U, 3U, 64U}) {
        MapBed bed(page_bytes, chunk_count, 4, longest_run);
        SCOPED_TRACE(
            fmt::format("{} chunks, pages of {}, runs up to {}", chunk_count, page_bytes, longest_run));
        std::vector<Chunk> found;
        const auto followed = bed.follow(&found);
        ASSERT_TRUE(followed) << followed.error().what();
        ASSERT_EQ(found.size(), chunk_count);
        for (std::size_t i = 0; i < found.size(); ++i) {
          EXPECT_EQ(found[i].header.number, i);
          EXPECT_EQ(found[i].extents, bed.chunks[i].extents);
        }
      }
    }
  }
}

TEST(SwapMap, OneChunkMaySpillOverSeveralMapPages) {
  // 1024 single pages: 498 extents in the first map page, 503 in each further one.
  MapBed bed(4096, 2, 1024, 1);
  EXPECT_GE(bed.header.map_pages, 5U);
  std::vector<Chunk> found;
  ASSERT_TRUE(bed.follow(&found));
  EXPECT_EQ(found[1].extents, bed.chunks[1].extents);
}

TEST(SwapMap, ALoopIsSeen) {
  MapBed bed(4096, 300, 1, 1);
  ASSERT_GE(bed.header.map_pages, 3U);
  const std::uint64_t first = bed.header.map_first_page;
  bed.change(1, [&](auto page) { put_integer(page, 32, first, 8); });
  bed.expect_damage("says it is number 0");
  MapBed self(4096, 300, 1, 1);
  const std::uint64_t second = self.map_page(1) / 4096;
  self.change(1, [&](auto page) { put_integer(page, 32, second, 8); });
  self.expect_damage("says it is number 1");
}

TEST(SwapMap, AMapThatIsLongerThanTheHeaderSaysIsNotFollowed) {
  MapBed bed(4096, 300, 1, 1);
  bed.header.map_pages = 2;
  bed.expect_damage("goes on after its 2 pages");
}

TEST(SwapMap, APageOfAnotherImageIsSeen) {
  MapBed bed(4096, 300, 1, 1);
  bed.change(2, [](auto page) { page[8] ^= std::byte{1}; });
  bed.expect_damage("another image");
}

TEST(SwapMap, ALinkOutsideTheAreaIsNotFollowed) {
  for (const std::uint64_t link : {std::uint64_t{0}, kDevicePages, kDevicePages + 1, ~std::uint64_t{0}}) {
    MapBed bed(4096, 300, 1, 1);
    bed.change(0, [&](auto page) { put_integer(page, 32, link, 8); });
    bed.expect_damage("would lie at page");
  }
  MapBed over_header(4096, 300, 1, 1);
  over_header.header_page = over_header.map_page(1) / 4096;
  over_header.expect_damage("would lie at page");
}

TEST(SwapMap, ExtentsThatCannotBeAreRefused) {
  const auto with_extent = [](const Extent& extent) {
    MapBed bed(4096, 3, 4, 64);
    bed.header_page = 3000;
    bed.change(0, [&](auto page) { put_integer(page, 64 + 48, pack_extent(extent), 8); });
    bed.expect_damage("extent of");
  };
  with_extent({.first_page = 5, .pages = 0});
  with_extent({.first_page = 5, .pages = 5});  // more than the chunk has
  with_extent({.first_page = 0, .pages = 1});
  with_extent({.first_page = kDevicePages - 1, .pages = 2});  // over the end
  with_extent({.first_page = kDevicePages, .pages = 1});
  with_extent({.first_page = kMaxDevicePages - 1, .pages = 1});
  with_extent({.first_page = 2999, .pages = 2});  // over the swap header
  with_extent({.first_page = 3000, .pages = 1});
}

/// Every field of a chunk header, damaged behind a checksum that fits: the walk refuses it or the digest
/// tells.
TEST(SwapMap, EveryFieldOfAChunkHeaderIsChecked) {
  const std::pair<const char*, std::pair<std::size_t, std::size_t>> fields[] = {
      {"type", {0, 2}},          {"extents", {2, 2}},          {"codec", {4, 1}},          {"flags", {5, 1}},
      {"reserved", {6, 2}},      {"number", {8, 8}},           {"first page", {16, 8}},    {"pages", {24, 4}},
      {"packed bytes", {28, 4}}, {"stored checksum", {32, 8}}, {"pages checksum", {40, 8}}};
  for (const auto& [name, place] : fields) {
    const auto [at, size] = place;
    for (const std::uint64_t add :
         {std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{1} << (8 * size - 1)}) {
      MapBed bed(4096, 5, 4, 2);
      bed.change(
          0, [&](auto page) { put_integer(page, 64 + at, get_integer(page, 64 + at, size) + add, size); });
      const auto followed = bed.follow();
      ASSERT_FALSE(followed) << name << " + " << add;
      EXPECT_EQ(followed.error().code, Errc::kCorrupt) << name;
    }
  }
}

TEST(SwapMap, ACodecNobodyKnowsIsRefused) {
  MapBed bed(4096, 5, 4, 64);
  bed.change(0, [](auto page) {
    page[64 + 4] = std::byte{9};
    put_integer(page, 64 + 28, 5, 4);  // a packed length that would fit
  });
  bed.expect_damage("codec 9");
}

TEST(SwapMap, EveryFieldOfTheClosingRecordIsChecked) {
  for (const std::size_t at : {2U, 4U, 8U, 16U, 24U, 32U, 40U, 55U, 56U}) {
    MapBed bed(4096, 5, 4, 64);
    // 5 chunks of one extent each, mostly; look for the closing record at the end of what is used.
    bed.change(0, [&](auto page) {
      const std::size_t closing = 64 + get_integer(page, 40, 4) - 64;
      ASSERT_EQ(get_integer(page, closing, 2), 3U);
      page[closing + at] ^= std::byte{1};
    });
    const auto followed = bed.follow();
    ASSERT_FALSE(followed) << "byte " << at;
    EXPECT_EQ(followed.error().operation, "check closing record");
  }
}

TEST(SwapMap, AMissingClosingRecordIsSeen) {
  MapBed bed(4096, 5, 4, 64);
  bed.change(0, [](auto page) {
    const std::uint64_t used = get_integer(page, 40, 4) - 64;
    put_integer(page, 40, used, 4);
    std::ranges::fill(page.subspan(64 + used, 64), std::byte{0});
  });
  bed.expect_damage("page");
}

TEST(SwapMap, AnythingBehindTheClosingRecordIsRefused) {
  MapBed bed(4096, 5, 4, 64);
  bed.change(0, [](auto page) {
    const std::uint64_t used = get_integer(page, 40, 4);
    std::ranges::copy(page.subspan(64 + used - 64, 64),
                      page.begin() + 64 + static_cast<std::ptrdiff_t>(used));
    put_integer(page, 40, used + 64, 4);
  });
  EXPECT_FALSE(bed.follow());
  MapBed linked(4096, 5, 4, 64);
  linked.change(0, [](auto page) { put_integer(page, 32, 77, 8); });
  EXPECT_FALSE(linked.follow());
}

TEST(SwapMap, AHeaderThatDoesNotGoWithTheMapIsRefused) {
  const std::function<void(ImageHeader&)> changes[] = {
      [](ImageHeader& h) { h.chunk_count = h.chunk_count + 1; },
      [](ImageHeader& h) { h.image_pages = h.image_pages + 1; },
      [](ImageHeader& h) { h.image_pages = h.image_pages - 1; },
      [](ImageHeader& h) { h.image_pages = std::uint64_t{1} << 44; },
      [](ImageHeader& h) { h.stored_pages = h.stored_pages + 1; },
      [](ImageHeader& h) { h.map_pages = h.map_pages + 1; },
      [](ImageHeader& h) { h.chunk_pages = 8; },
      [](ImageHeader& h) { h.chunk_digest[0] ^= std::byte{1}; },
      [](ImageHeader& h) { h.map_first_page = kDevicePages; },
      [](ImageHeader& h) { h.image_id[15] ^= std::byte{1}; },
  };
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    MapBed bed(4096, 5, 4, 64);
    changes[i](bed.header);
    const auto followed = bed.follow();
    ASSERT_FALSE(followed) << "change " << i;
    EXPECT_EQ(followed.error().code, Errc::kCorrupt);
  }
}

TEST(SwapMap, RunsOutOfRoomWithTheAllocatorsError) {
  MemoryBlockDevice disk(100 * 4096, "disk");
  ScatteredAllocator allocator(1, 2, 1, 1);  // one page: the first of the map
  auto writer = SwapMapWriter::prepare(4096).value();
  ASSERT_TRUE(writer.begin(disk, allocator, ImageId{}));
  ChunkHeader header;
  const Extent extent{.first_page = 50, .pages = 1};
  Result<void> added{};
  int chunks = 0;
  while (added && chunks < 1000) {
    added = writer.add(header, std::span(&extent, 1));
    ++chunks;
  }
  EXPECT_EQ(chunks, 73);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, Errc::kNoSpace);
}

}  // namespace
}  // namespace dormouse::test
