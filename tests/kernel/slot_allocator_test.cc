#include "kernel/slot_allocator.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "support/fake_snapshot_device.h"

namespace dormouse::test {
namespace {

struct Area {
  explicit Area(FakeMachine machine) : device(machine), slots(device) {
    EXPECT_TRUE(device.set_swap_area(machine.swap_device, machine.header_page));
  }
  FakeSnapshotDevice device;
  SlotAllocator slots;
};

TEST(SlotAllocator, JoinsNeighboursUpToTheLimit) {
  Area area({.swap_pages = 101});
  EXPECT_EQ(area.slots.free_pages().value(), 100U);
  EXPECT_EQ(area.slots.allocate(64).value(), (Extent{1, 64}));
  EXPECT_EQ(area.slots.free_pages().value(), 36U);
  EXPECT_EQ(area.slots.allocate(64).value(), (Extent{65, 36})) << "what is left";
  EXPECT_EQ(area.slots.allocate(1).error().code, Errc::kNoSpace);
  EXPECT_EQ(area.slots.free_pages().value(), 0U);
  ASSERT_TRUE(area.slots.release_all());
  EXPECT_EQ(area.slots.free_pages().value(), 100U);
  EXPECT_EQ(area.device.slots_allocated(), 0U);
}

TEST(SlotAllocator, HandsOutEverySlotOnceHoweverFragmented) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Area area({.header_page = 1000, .swap_pages = 1000, .fragmentation_seed = seed, .used_slots = 333});
    std::set<std::uint64_t> pages;
    std::uint64_t calls = 0;
    for (;; ++calls) {
      const auto before = area.slots.free_pages().value();
      EXPECT_EQ(before, 666U - pages.size());
      const auto extent = area.slots.allocate(16);
      if (!extent) {
        EXPECT_EQ(extent.error().code, Errc::kNoSpace);
        break;
      }
      EXPECT_GE(extent->pages, 1U);
      EXPECT_LE(extent->pages, 16U);
      for (auto page = extent->first_page; page < extent->end_page(); ++page) {
        EXPECT_TRUE(pages.insert(page).second) << page;
        EXPECT_GT(page, 1000U);
        EXPECT_LT(page, 2000U);
      }
    }
    EXPECT_EQ(pages.size(), 666U) << "seed " << seed;
    EXPECT_LT(calls, 666U);
  }
}

TEST(SlotAllocator, AnErrorInARunCostsNothing) {
  Area area({.swap_pages = 101});
  area.device.faults().fail_call(5, EIO);  // set_swap_area is call 0: the fifth slot
  EXPECT_EQ(area.slots.allocate(10).value(), (Extent{1, 4}));
  EXPECT_EQ(area.slots.allocate(10).value(), (Extent{5, 10}));
  area.device.faults().fail_name("SNAPSHOT_ALLOC_SWAP_PAGE", EIO);
  EXPECT_EQ(area.slots.allocate(10).error().errnum, EIO);
}

TEST(SlotAllocator, HandsOutItsStockFirst) {
  Area area({.swap_pages = 101});
  area.slots.stock_up(10);
  EXPECT_EQ(area.device.slots_allocated(), 10U);
  EXPECT_EQ(area.slots.free_pages().value(), 100U) << "what is in stock is free";
  EXPECT_EQ(area.slots.allocate(4).value(), (Extent{1, 4}));
  EXPECT_EQ(area.device.slots_allocated(), 10U);
  area.slots.stock_up(10);
  EXPECT_EQ(area.device.slots_allocated(), 14U);
  EXPECT_EQ(area.slots.allocate(64).value(), (Extent{5, 64})) << "goes on beyond its stock";
  ASSERT_TRUE(area.slots.release_all());
  EXPECT_EQ(area.slots.free_pages().value(), 100U);
}

TEST(SlotAllocator, StockingUpMeetsNoErrors) {
  Area area({.swap_pages = 101});
  area.device.faults().fail_call(3, EIO);
  area.slots.stock_up(10);
  EXPECT_EQ(area.device.slots_allocated(), 2U) << "it stops where it was refused";
  area.slots.stock_up(1'000'000);
  EXPECT_EQ(area.device.slots_allocated(), 100U) << "and where there is no more";
  EXPECT_EQ(area.slots.allocate(1000).value(), (Extent{1, 100}));
  EXPECT_EQ(area.slots.allocate(1).error().code, Errc::kNoSpace);
}

TEST(SlotAllocator, StocksUpBesideAnAllocatingThread) {
  Area area({.swap_pages = 20'001, .fragmentation_seed = 5});
  std::set<std::uint64_t> pages;
  std::thread allocating([&] {
    while (const auto extent = area.slots.allocate(7)) {
      for (auto page = extent->first_page; page < extent->end_page(); ++page)
        EXPECT_TRUE(pages.insert(page).second);
    }
  });
  for (int i = 0; i < 300; ++i) area.slots.stock_up(65);
  allocating.join();
  EXPECT_EQ(pages.size(), 20'000U);
}

TEST(SlotAllocator, RefusesToAllocateNothing) {
  Area area({});
  EXPECT_EQ(area.slots.allocate(0).error().code, Errc::kUsage);
}

TEST(SlotAllocator, AFailedReleaseKeepsWhatItHas) {
  Area area({.swap_pages = 1000, .fragmentation_seed = 3});
  ASSERT_TRUE(area.slots.allocate(100));
  const auto free_pages = area.slots.free_pages().value();
  area.device.faults().fail_name("SNAPSHOT_FREE_SWAP_PAGES", EBUSY);
  EXPECT_EQ(area.slots.release_all().error().code, Errc::kBusy);
  EXPECT_EQ(area.slots.free_pages().value(), free_pages);
}

}  // namespace
}  // namespace dormouse::test
