/// Damage that no single field shows: parts exchanged, lost, repeated, left over from an older image, or laid
/// over one another; a device that ends too early; an image that was moved.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "damage/judge.h"
#include "damage/victim.h"
#include "format/checksum.h"
#include "swap/swap_disk.h"

namespace dormouse::test {
namespace {

constexpr std::uint64_t kOnePage = std::uint64_t{1} << 44;  // the length of an extent of one page

class StructureDamage : public ::testing::TestWithParam<VictimShape> {
 protected:
  explicit StructureDamage(const VictimShape& shape = GetParam())
      : victim_(shape), judge_(shape.chunk_pages * shape.page_bytes, victim_.stream(), victim_key()) {}

  [[nodiscard]] std::uint64_t page_bytes() const { return victim_.shape().page_bytes; }
  Outcome attempt(Tally& tally) {
    const Outcome outcome = judge_.read(victim_.disk(), victim_.header_at(), victim_.bounds());
    tally.add(outcome);
    return outcome;
  }
  /// The damage is found, one of `words` is said about it, and the disk is mended for the next.
  void expect_refused(Tally& tally, const std::vector<std::string>& words) {
    const Outcome outcome = attempt(tally);
    expect_damage(outcome);
    const std::string what = outcome.what();
    EXPECT_TRUE(std::ranges::any_of(words, [&](const auto& w) { return what.find(w) != std::string::npos; }))
        << "wanted: " << words.front() << "\n"
        << what;
    victim_.restore();
  }
  void expect_refused(Tally& tally, const std::string& words) { expect_refused(tally, std::vector{words}); }
  void expect_refused(Tally& tally, std::uint64_t chunk) { expect_refused(tally, name_of(chunk)); }
  /// Both are damaged; they are checked side by side.
  void expect_refused(Tally& tally, std::uint64_t chunk, std::uint64_t other) {
    expect_refused(tally, {name_of(chunk), name_of(other)});
  }
  [[nodiscard]] std::string name_of(std::uint64_t chunk) const {
    return fmt::format("chunk {} (pages {} to {} of the image)", chunk, victim_.first_page_of(chunk),
                       victim_.last_page_of(chunk));
  }
  void swap_bytes(std::uint64_t one, std::uint64_t other, std::size_t bytes) {
    std::ranges::swap_ranges(victim_.change(one, bytes), victim_.change(other, bytes));
  }
  void copy_bytes(std::uint64_t from, std::uint64_t to, std::size_t bytes) {
    std::ranges::copy(victim_.disk().bytes().subspan(from, bytes), victim_.change(to, bytes).begin());
  }
  void put(std::uint64_t at, std::uint64_t value, std::size_t bytes) {
    put_integer(victim_.change(at, bytes), 0, value, bytes);
  }
  [[nodiscard]] std::uint64_t get(std::uint64_t at, std::size_t bytes) {
    return get_integer(victim_.disk().bytes(), at, bytes);
  }
  [[nodiscard]] std::uint64_t place_of(const RecordPlace& extent) { return get(extent.at, 8) % kOnePage; }

  Victim victim_;
  Judge judge_;
};

TEST_P(StructureDamage, ADeviceThatEndsAtAnyPage) {
  Tally tally(GetParam().name + ", device truncated");
  std::uint64_t last = victim_.page_at(to_bytes(victim_.header_at()));
  for (const RecordPlace& r : victim_.records()) {
    last = std::max(last, r.kind == RecordKind::kExtent ? place_of(r) : victim_.page_at(r.at));
  }
  for (std::uint64_t pages = 1; pages < victim_.area_end_page(); ++pages) {
    SCOPED_TRACE(fmt::format("{} of {} pages are left", pages, victim_.area_end_page()));
    const Outcome outcome =
        judge_.read(victim_.disk(), pages * page_bytes(), victim_.header_at(), victim_.bounds());
    tally.add(outcome);
    if (pages > last) {
      EXPECT_FALSE(outcome.error) << "all of the image is there: " << outcome.what();
    } else {
      expect_damage(outcome);
    }
  }
  EXPECT_GE(tally.refused(), GetParam().image_pages / 2);
}

TEST_P(StructureDamage, TwoChunksExchanged) {
  Tally tally(GetParam().name + ", stored pages of two chunks exchanged");
  for (std::uint64_t one = 0; one < victim_.chunks(); ++one) {
    for (std::uint64_t other = one + 1; other < victim_.chunks(); ++other) {
      const auto from = victim_.extents_of(one);
      const auto to = victim_.extents_of(other);
      for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i)
        swap_bytes(place_of(from[i]) * page_bytes(), place_of(to[i]) * page_bytes(), page_bytes());
      SCOPED_TRACE(fmt::format("chunks {} and {}", one, other));
      expect_refused(tally, one, other);
      if (HasFailure()) return;
    }
    if (!GetParam().every_record) break;
  }
  EXPECT_GE(tally.tried(), 5U);
}

TEST_P(StructureDamage, TwoChunkHeadersExchangedOrOneTwice) {
  Tally tally(GetParam().name + ", chunk headers exchanged or repeated, resealed");
  const auto chunks = victim_.records(RecordKind::kChunk);
  for (std::size_t i = 0; i + 1 < chunks.size(); ++i) {
    SCOPED_TRACE(fmt::format("chunk {}", i));
    swap_bytes(chunks[i].at, chunks[i + 1].at, chunks[i].bytes);
    victim_.reseal();
    expect_refused(tally, fmt::format("chunk {} ", i));
    copy_bytes(chunks[i].at, chunks[i + 1].at, chunks[i].bytes);
    victim_.reseal();
    expect_refused(tally, fmt::format("chunk {} ", i + 1));
    copy_bytes(chunks[i + 1].at, chunks[i].at, chunks[i].bytes);
    victim_.reseal();
    expect_refused(tally, fmt::format("chunk {} ", i));
  }
}

TEST_P(StructureDamage, TheExtentsOfTwoChunksExchanged) {
  Tally tally(GetParam().name + ", extents of two chunks exchanged, resealed");
  for (std::uint64_t chunk = 0; chunk + 1 < victim_.chunks(); ++chunk) {
    swap_bytes(victim_.extents_of(chunk).front().at, victim_.extents_of(chunk + 1).front().at, 8);
    victim_.reseal();
    SCOPED_TRACE(fmt::format("chunks {} and {}", chunk, chunk + 1));
    expect_refused(tally, chunk, chunk + 1);
  }
}

TEST_P(StructureDamage, MapPagesInALoopRepeatedOrLost) {
  Tally tally(GetParam().name + ", map linked otherwise, resealed");
  const auto pages = victim_.records(RecordKind::kMapHeader);
  for (std::size_t from = 0; from < pages.size(); ++from) {
    for (std::size_t to = 0; to <= pages.size(); ++to) {
      if (to == from + 1) continue;  // as it is
      const std::uint64_t next = to < pages.size() ? victim_.page_at(pages[to].at) : 0;
      put(pages[from].at + 32, next, 8);
      victim_.reseal();
      SCOPED_TRACE(fmt::format("map page {} leads to {}", from, to));
      expect_refused(tally, "");
    }
    // Another page's content, index and all, in this place.
    for (std::size_t other = 0; other < pages.size(); ++other) {
      if (other == from) continue;
      copy_bytes(pages[other].at, pages[from].at, page_bytes());
      SCOPED_TRACE(fmt::format("map page {} holds page {}", from, other));
      expect_refused(tally, fmt::format("map page {} says it is number {}", from, other));
    }
    // As if the page had never been written.
    std::ranges::fill(victim_.change(pages[from].at, page_bytes()), std::byte{0});
    expect_refused(tally, fmt::format("map page {} is not there", from));
  }
}

TEST_P(StructureDamage, ExtentsWhereNoChunkCanLie) {
  Tally tally(GetParam().name + ", extents out of bounds, resealed");
  const std::uint64_t header = GetParam().header_page;
  const std::uint64_t end = victim_.area_end_page();
  const std::uint64_t image_header = victim_.page_at(to_bytes(victim_.header_at()));
  const std::uint64_t most = kOnePage - 1;
  for (std::uint64_t chunk = 0; chunk < victim_.chunks(); ++chunk) {
    const auto extents = victim_.extents_of(chunk);
    for (const RecordPlace& extent : {extents.front(), extents.back()}) {
      const std::uint64_t own = place_of(extent);
      // Place and length: on a header, at and over the end of the area, far outside, of no length, too long.
      for (const auto& [place, pages] :
           std::initializer_list<std::pair<std::uint64_t, std::uint64_t>>{{0, 1},
                                                                          {header, 1},
                                                                          {image_header, 1},
                                                                          {end, 1},
                                                                          {end - 1, 2},
                                                                          {end + 5, 1},
                                                                          {most, 1},
                                                                          {most, (1U << 20) - 1},
                                                                          {own, 0},
                                                                          {own, (1U << 20) - 1},
                                                                          {1, end}}) {
        put(extent.at, place | (pages << 44), 8);
        victim_.reseal();
        SCOPED_TRACE(fmt::format("chunk {}: {} pages at {}", chunk, pages, place));
        expect_refused(tally, "extent of ");
      }
    }
  }
}

/// Extents over one another and over the map are not forbidden as such: the chunk's checksum tells that what
/// lies there is not its data.
TEST_P(StructureDamage, ExtentsOverOneAnotherOrOverTheMap) {
  Tally tally(GetParam().name + ", extents overlap, resealed");
  const std::uint64_t map_page = victim_.page_at(victim_.records(RecordKind::kMapHeader).back().at);
  for (std::uint64_t chunk = 0; chunk < victim_.chunks(); ++chunk) {
    SCOPED_TRACE(fmt::format("chunk {}", chunk));
    const auto own = victim_.extents_of(chunk);
    const auto other = victim_.extents_of((chunk + 1) % victim_.chunks());
    put(own.front().at, get(other.front().at, 8), 8);
    victim_.reseal();
    expect_refused(tally, chunk);
    put(own.front().at, map_page | kOnePage, 8);
    victim_.reseal();
    expect_refused(tally, chunk);
    if (own.size() == 1) continue;
    put(own.front().at, get(own.back().at, 8), 8);
    victim_.reseal();
    expect_refused(tally, chunk);
  }
}

TEST_P(StructureDamage, AFillingThatIsNotZero) {
  Tally tally(GetParam().name + ", something behind the packed bytes, resealed");
  for (const RecordPlace& chunk : victim_.records(RecordKind::kChunk)) {
    if (get(chunk.at + 28, 4) % page_bytes() == 0) continue;  // nothing is filled up
    std::vector<std::byte> stored;
    const auto extents = victim_.extents_of(chunk.chunk);
    put((place_of(extents.back()) + 1) * page_bytes() - 1, 1, 1);
    for (const RecordPlace& extent : extents) {
      const auto page = victim_.disk().bytes().subspan(place_of(extent) * page_bytes(), page_bytes());
      stored.insert(stored.end(), page.begin(), page.end());
    }
    put(chunk.at + 32, xxh3(stored), 8);
    victim_.reseal();
    expect_refused(tally, chunk.chunk);
  }
  EXPECT_GE(tally.refused(), 4U);
}

TEST_P(StructureDamage, TheTailOfAnOlderImage) {
  Tally tally(GetParam().name + ", parts of an older image under a newer one");
  // What lay there before, from a run that was interrupted before the newer image: made by the same writer.
  VictimShape longer = GetParam();
  longer.image_pages = longer.image_pages * 5 / 4;
  Victim older(longer);
  const auto put_older = [&](std::uint64_t from, std::uint64_t to, std::size_t bytes) {
    std::ranges::copy(older.disk().bytes().subspan(from, bytes), victim_.change(to, bytes).begin());
  };
  const auto pages = victim_.records(RecordKind::kMapHeader);
  const auto older_pages = older.records(RecordKind::kMapHeader);
  // The same image id would be a copy of the same image.
  std::ranges::fill(older.change(to_bytes(older.header_at()) + 32, 16), std::byte{0x77});
  for (const RecordPlace& page : older_pages)
    std::ranges::fill(older.change(page.at + 8, 16), std::byte{0x77});
  older.reseal();
  for (std::size_t i = 0; i < pages.size(); ++i) {
    for (const RecordPlace& page : older_pages) {
      put_older(page.at, pages[i].at, page_bytes());
      expect_refused(tally, "belongs to another image");
    }
  }
  for (std::uint64_t chunk = 0; chunk < victim_.chunks(); ++chunk) {
    const std::uint64_t place = place_of(victim_.extents_of(chunk).back()) * page_bytes();
    std::ranges::fill(victim_.change(place, page_bytes()), std::byte{0x55});
    expect_refused(tally, chunk);
  }
  // The older header, whose map has been written over.
  put_older(to_bytes(older.header_at()), to_bytes(victim_.header_at()), page_bytes());
  expect_refused(tally, "");
}

TEST_P(StructureDamage, AnImageThatWasMoved) {
  Tally tally(GetParam().name + ", image or mark copied to another place");
  const Outcome outcome = judge_.read(victim_.disk(), victim_.header_at(),
                                      {.end_page = victim_.area_end_page(),
                                       .swap_header_page = GetParam().header_page + 7,
                                       .page_bytes = GetParam().page_bytes});
  tally.add(outcome);
  expect_damage(outcome);
  EXPECT_NE(outcome.what().find("copied to another place"), std::string::npos) << outcome.what();
}

TEST_P(StructureDamage, AnAreaOfAnotherPageSize) {
  Tally tally(GetParam().name + ", area of another page size");
  for (const std::uint32_t other : {4096U, 16384U, 65536U}) {
    if (other == GetParam().page_bytes) continue;
    const Outcome outcome =
        judge_.read(victim_.disk(), victim_.header_at(),
                    {.end_page = 4096, .swap_header_page = GetParam().header_page, .page_bytes = other});
    tally.add(outcome);
    expect_damage(outcome);
    EXPECT_NE(outcome.what().find(fmt::format("pages of {}", other)), std::string::npos) << outcome.what();
  }
}

TEST_P(StructureDamage, MorePagesThanThereAre) {
  Tally tally(GetParam().name + ", more pages, chunks or stored pages than there are, resealed");
  const std::uint64_t header = to_bytes(victim_.header_at());
  const std::uint64_t closing = victim_.records(RecordKind::kClosing).front().at;
  for (const std::uint64_t factor : {2ULL, 3ULL, 1ULL << 12, 1ULL << 30, 1ULL << 39}) {
    for (const std::uint64_t stored_factor : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{factor}}) {
      const std::uint64_t pages = factor * GetParam().image_pages;
      const std::uint64_t chunks = divide_up(pages, GetParam().chunk_pages);
      const std::uint64_t stored = stored_factor * get(header + 88, 8);
      for (const auto& [at, value] : {std::pair{header + 56, pages},
                                      {header + 64, chunks},
                                      {header + 88, stored},
                                      {closing + 8, chunks},
                                      {closing + 16, pages}})
        put(at, value, 8);
      victim_.reseal();
      SCOPED_TRACE(fmt::format("{} pages, {} stored", pages, stored));
      expect_refused(tally, "");
    }
  }
}

TEST_P(StructureDamage, TheFutureIsRefusedWithWords) {
  Tally tally(GetParam().name + ", later versions and features, resealed");
  const std::uint64_t header = to_bytes(victim_.header_at());
  for (const std::uint32_t version : {0U, 2U, 3U, 0xffffffffU}) {
    put(header + 8, version, 4);
    victim_.reseal();
    expect_refused(tally, fmt::format("format version {} is not known", version));
  }
  for (unsigned bit = 1; bit < 32; ++bit) {
    put(header + 12, 1U << bit, 4);
    victim_.reseal();
    expect_refused(tally, fmt::format("it needs features {:#x}", 1U << bit));
    put(header + 16, 1U << bit, 4);
    victim_.reseal();
    EXPECT_FALSE(attempt(tally).error) << "optional features are ignored";
    victim_.restore();
  }
  // Sealed without a cipher; plain with one.
  put(header + 12, GetParam().sealed ? 0 : 1, 4);
  victim_.reseal();
  expect_refused(tally, GetParam().sealed ? "reserved fields" : "sealed with cipher 0");
  put(header + 20, 2, 1);
  victim_.reseal();
  expect_refused(tally, "other byte order");
}

INSTANTIATE_TEST_SUITE_P(Shapes, StructureDamage, ::testing::ValuesIn(victim_shapes()),
                         [](const auto& shape) { return shape.param.name; });

/// Lays every chunk from the fifth on over an earlier one with the same content and codec, so the same stored
/// bytes.
void share_places(Victim& victim) {
  for (std::uint64_t chunk = 4; chunk < victim.chunks(); ++chunk) {
    const auto from = victim.extents_of(chunk % 4);
    const auto to = victim.extents_of(chunk);
    ASSERT_EQ(from.size(), to.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto extent = victim.disk().bytes().subspan(from[i].at, 8);
      std::ranges::copy(extent, victim.change(to[i].at, 8).begin());
    }
  }
}

/// The proof that overlap alone does no harm: each chunk is checked, and the stream is the one that was
/// written.
TEST(HostileMap, ChunksMayShareTheirPlacesIfTheirDataIsTheSame) {
  const VictimShape shape{.name = "shared", .chunk_pages = 4, .image_pages = 96, .repeats = true};
  Victim victim(shape);
  Judge judge(shape.chunk_pages * shape.page_bytes, victim.stream());
  share_places(victim);
  victim.reseal();
  const Outcome outcome = judge.read(victim.disk(), victim.header_at(), victim.bounds());
  EXPECT_FALSE(outcome.error) << outcome.what();
}

/// Else a small map could ask for the same few pages again and again.
TEST(HostileMap, CannotAskForMorePagesThanTheHeaderStates) {
  const VictimShape shape{.name = "amplified", .chunk_pages = 4, .image_pages = 96, .repeats = true};
  Victim victim(shape);
  Judge judge(shape.chunk_pages * shape.page_bytes, victim.stream());
  share_places(victim);
  // The fewest that so many chunks can have: one each.
  const std::uint64_t fewest = victim.chunks() + victim.records(RecordKind::kMapHeader).size() + 1;
  put_integer(victim.change(to_bytes(victim.header_at()) + 88, 8), 0, fewest, 8);
  victim.reseal();
  const Outcome outcome = judge.read(victim.disk(), victim.header_at(), victim.bounds());
  expect_damage(outcome);
  EXPECT_NE(outcome.what().find("are more than all chunks' 24"), std::string::npos) << outcome.what();
}

}  // namespace
}  // namespace dormouse::test
