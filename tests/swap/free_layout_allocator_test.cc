/// Room in an area that nobody uses: every page once, never the header, a bad page or one past the end.
#include "swap/free_layout_allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "swap/swap_disk.h"

namespace dormouse::test {
namespace {

std::set<std::uint64_t> take_all(SwapAllocator& allocator, std::uint64_t max_pages) {
  std::set<std::uint64_t> taken;
  while (true) {
    const std::uint64_t before = *allocator.free_pages();
    const auto extent = allocator.allocate(max_pages);
    if (!extent) {
      EXPECT_EQ(extent.error().code, Errc::kNoSpace);
      EXPECT_EQ(before, 0U);
      return taken;
    }
    EXPECT_GE(extent->pages, 1U);
    EXPECT_LE(extent->pages, max_pages);
    EXPECT_EQ(*allocator.free_pages(), before - extent->pages);
    for (std::uint64_t page = extent->first_page; page < extent->end_page(); ++page) {
      EXPECT_TRUE(taken.insert(page).second) << "page " << page << " twice";
    }
  }
}

TEST(FreeLayoutAllocator, HandsOutEveryGoodPageOnce) {
  const std::vector<std::vector<std::uint32_t>> bad_lists = {
      {}, {1}, {20}, {1, 2, 3}, {19, 20}, {20, 1, 10, 10, 11}, {5, 5}, {1, 3, 5, 7, 9, 11, 13, 15, 17, 19}};
  for (const auto& bad : bad_lists) {
    for (const std::uint64_t header_page : {0U, 7U}) {
      for (const std::uint64_t max_pages : {1U, 3U, 1000U}) {
        const SwapShape shape{
            .last_page = 20, .bad_pages = bad, .header_page = header_page, .spare_pages = 5};
        MemoryBlockDevice disk = make_swap_disk(shape);
        const auto area = SwapArea::open(disk, page_offset(header_page, 4096));
        ASSERT_TRUE(area) << area.error().what();
        const auto allocator = make_free_layout_allocator(*area);
        std::set<std::uint64_t> expected;
        for (std::uint32_t page = 1; page <= 20; ++page) {
          if (std::ranges::find(bad, page) == bad.end()) expected.insert(header_page + page);
        }
        EXPECT_EQ(*allocator->free_pages(), expected.size());
        EXPECT_EQ(take_all(*allocator, max_pages), expected);
        ASSERT_TRUE(allocator->release_all());
        EXPECT_EQ(*allocator->free_pages(), expected.size());
        EXPECT_EQ(take_all(*allocator, max_pages), expected) << "again, after everything was given back";
      }
    }
  }
}

TEST(FreeLayoutAllocator, AnAreaOfBadPagesOnlyIsFull) {
  const SwapShape shape{.last_page = 3, .bad_pages = {3, 1, 2}};
  MemoryBlockDevice disk = make_swap_disk(shape);
  const auto allocator = make_free_layout_allocator(*SwapArea::open(disk, DeviceOffset{0}));
  EXPECT_EQ(*allocator->free_pages(), 0U);
  EXPECT_EQ(allocator->allocate(1).error().code, Errc::kNoSpace);
}

TEST(FreeLayoutAllocator, OfAPageThatIsNoLongerASwapHeaderHasNoRoom) {
  MemoryBlockDevice disk = make_swap_disk({});
  constexpr unsigned char tux_on_ice[] = {0xed, 0xc3, 0x02, 0xe9, 0x98, 0x56, 0xe5, 0x0c};
  std::memcpy(disk.mutable_bytes(0, 8).data(), tux_on_ice, 8);
  put_integer(disk.mutable_bytes(0, 4096), 1032, 0x7fffffff, 4);  // would be 8 GiB of bad pages
  const auto area = SwapArea::open(disk, DeviceOffset{0});
  ASSERT_TRUE(area);
  const auto allocator = make_free_layout_allocator(*area);
  EXPECT_EQ(*allocator->free_pages(), 0U);
}

}  // namespace
}  // namespace dormouse::test
