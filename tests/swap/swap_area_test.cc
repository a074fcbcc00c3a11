/// The mark and its undoing, byte for byte.
#include "dormouse/swap_area.h"

#include <gtest/gtest.h>

#include "support/fault_block_device.h"
#include "support/recording_block_device.h"
#include "swap/swap_disk.h"

namespace dormouse::test {
namespace {

constexpr std::uint32_t kPageSizes[] = {4096, 16384, 65536};
constexpr DeviceOffset kImage{0xabc000};

TEST(SwapArea, OpensWhereTheHeaderIs) {
  for (const std::uint32_t page_bytes : kPageSizes) {
    for (const std::uint64_t header_page : {0U, 1U, 9U}) {
      const SwapShape shape{
          .page_bytes = page_bytes, .last_page = 50, .header_page = header_page, .spare_pages = 3};
      MemoryBlockDevice disk = make_swap_disk(shape);
      const auto area = SwapArea::open(disk, page_offset(header_page, page_bytes));
      ASSERT_TRUE(area) << area.error().what();
      EXPECT_EQ(area->page_bytes(), page_bytes);
      EXPECT_EQ(area->header_page(), header_page);
      EXPECT_EQ(area->last_page(), 50U);
      EXPECT_FALSE(area->marked());
      EXPECT_TRUE(std::ranges::equal(area->page(), make_swap_page(shape)));
    }
  }
}

// The first piece of a swap file may lie behind the others, near the end of the device.
TEST(SwapArea, OpensASwapFileThatBeginsNearTheEndOfItsDevice) {
  MemoryBlockDevice disk(60 * 4096, "disk");
  const auto put = [&](const SwapShape& shape) {
    const auto page = make_swap_page(shape);
    std::memcpy(disk.mutable_bytes(55 * 4096, page.size()).data(), page.data(), page.size());
    return SwapArea::open(disk, page_offset(55, 4096));
  };
  const auto area = put({.last_page = 50});
  ASSERT_TRUE(area) << area.error().what();
  EXPECT_EQ(area->last_page(), 50U);
  EXPECT_FALSE(put({.last_page = 60})) << "more than the device has";
}

TEST(SwapArea, RefusesAPlaceWhereNoneCanBe) {
  MemoryBlockDevice disk = make_swap_disk({.last_page = 9});
  for (const std::uint64_t at : {std::uint64_t{1}, std::uint64_t{512}, std::uint64_t{4096}, disk.size_bytes(),
                                 disk.size_bytes() + 4096, ~std::uint64_t{0} - 4095}) {
    const auto area = SwapArea::open(disk, DeviceOffset{at});
    ASSERT_FALSE(area) << at;
    EXPECT_EQ(area.error().code, Errc::kImpossible);
    EXPECT_EQ(area.error().object.view(), "disk");
    EXPECT_EQ(area.error().offset, at);
  }
}

// Pages are counted from the start of the device, so a header between two of them has no page index.
TEST(SwapArea, RefusesAHeaderThatIsNotOnAPageOfItsOwnSize) {
  MemoryBlockDevice disk(100 * 4096, "disk");
  const auto page = make_swap_page({.page_bytes = 16384, .last_page = 10});
  std::memcpy(disk.mutable_bytes(4096, page.size()).data(), page.data(), page.size());
  const auto area = SwapArea::open(disk, DeviceOffset{4096});
  ASSERT_FALSE(area);
  EXPECT_EQ(area.error().code, Errc::kImpossible);
}

TEST(SwapArea, MarkAndClearGiveEveryByteBack) {
  for (const std::uint32_t page_bytes : kPageSizes) {
    const SwapShape shape{.page_bytes = page_bytes, .last_page = 50, .bad_pages = {3}, .header_page = 2};
    MemoryBlockDevice disk = make_swap_disk(shape);
    const auto before = disk.clone();
    auto area = SwapArea::open(disk, page_offset(2, page_bytes));
    ASSERT_TRUE(area);
    ASSERT_TRUE(area->mark(kImage));

    auto marked = SwapArea::open(disk, page_offset(2, page_bytes));
    ASSERT_TRUE(marked);
    EXPECT_EQ(marked->signature(), SwapSignature::kUserMark);
    EXPECT_EQ(marked->marked_image_header(), kImage);
    EXPECT_EQ(marked->uuid(), area->uuid()) << "by-uuid links survive";
    for (std::uint64_t i = 0; i < disk.size_bytes(); ++i) {
      const std::uint64_t page_end = std::uint64_t{3} * page_bytes;
      if (i >= page_end - 28 && i < page_end) continue;
      ASSERT_EQ(disk.bytes()[i], before.bytes()[i]) << "byte " << i;
    }
    ASSERT_TRUE(area->clear()) << "by who marked it";
    EXPECT_TRUE(std::ranges::equal(disk.bytes(), before.bytes()));
    ASSERT_TRUE(area->mark(kImage));
    ASSERT_TRUE(marked->clear(area->tail())) << "by who found it, with the tail that the image header kept";
    EXPECT_TRUE(std::ranges::equal(disk.bytes(), before.bytes()));
  }
}

TEST(SwapArea, MarkingAgainUndoesTheClearByteForByte) {
  for (const std::uint32_t page_bytes : {4096U, 65536U}) {
    MemoryBlockDevice disk = make_swap_disk({.page_bytes = page_bytes});
    auto area = SwapArea::open(disk, DeviceOffset{0});
    ASSERT_TRUE(area->mark(kImage));
    const auto marked_disk = disk.clone();
    RecordingBlockDevice device(disk);
    auto marked = SwapArea::open(device, DeviceOffset{0});
    EXPECT_FALSE(marked->mark_taken_off());
    ASSERT_TRUE(marked->clear(area->tail()));
    EXPECT_TRUE(marked->mark_taken_off());
    ASSERT_TRUE(marked->mark_again());
    EXPECT_FALSE(marked->mark_taken_off());
    EXPECT_TRUE(std::ranges::equal(disk.bytes(), marked_disk.bytes()));
    EXPECT_EQ(device.events().back().call, RecordingBlockDevice::Call::kFlush);
    ASSERT_TRUE(marked->restore_signature());
    EXPECT_TRUE(marked->mark_taken_off());
  }
}

TEST(SwapArea, WhatCarriedNoMarkIsNotMarkedAgain) {
  MemoryBlockDevice disk = make_swap_disk({});
  const auto before = disk.clone();
  auto area = SwapArea::open(disk, DeviceOffset{0});
  const auto marked = area->mark_again();
  ASSERT_FALSE(marked);
  EXPECT_EQ(marked.error().code, Errc::kUsage);
  EXPECT_TRUE(std::ranges::equal(disk.bytes(), before.bytes()));
}

TEST(SwapArea, AFailedClearMayHaveTakenTheMarkOff) {
  for (std::uint64_t call = 1; call <= 4; ++call) {  // clear: write, flush; mark again: write, flush
    MemoryBlockDevice disk = make_swap_disk({});
    const MarkTailBytes tail = SwapArea::open(disk, DeviceOffset{0})->tail();
    ASSERT_TRUE(SwapArea::open(disk, DeviceOffset{0})->mark(kImage));
    FaultBlockDevice faulty(disk, {.fail_at_call = call});
    auto area = SwapArea::open(faulty, DeviceOffset{0});
    EXPECT_EQ(area->clear(tail).has_value(), call > 2);
    EXPECT_TRUE(area->mark_taken_off());
    faulty.forget_error();
    EXPECT_EQ(area->mark_again().has_value(), call <= 2);
    EXPECT_EQ(area->mark_taken_off(), call > 2);
  }
}

TEST(SwapArea, MarkingIsDurableWhenItReturns) {
  MemoryBlockDevice disk = make_swap_disk({});
  RecordingBlockDevice device(disk);
  auto area = SwapArea::open(device, DeviceOffset{0});
  using Call = RecordingBlockDevice::Call;
  for (const bool mark : {true, false}) {
    device.forget();
    ASSERT_TRUE(mark ? area->mark(kImage) : area->clear());
    ASSERT_GE(device.events().size(), 2U);
    EXPECT_EQ(device.events().back().call, Call::kFlush);
    EXPECT_EQ((device.events().end() - 2)->call, Call::kWrite);
    EXPECT_EQ(device.count(Call::kWrite), 1U);
  }
}

TEST(SwapArea, RefusesToMarkAChangedHeader) {
  for (const std::uint64_t at : {0U, 1028U, 1100U, 4067U, 4095U}) {
    MemoryBlockDevice disk = make_swap_disk({});
    auto area = SwapArea::open(disk, DeviceOffset{0});
    disk.mutable_bytes(at, 1)[0] ^= std::byte{1};
    const auto before = disk.clone();
    const auto marked = area->mark(kImage);
    ASSERT_FALSE(marked) << "byte " << at;
    EXPECT_EQ(marked.error().code, Errc::kBusy);
    EXPECT_TRUE(std::ranges::equal(disk.bytes(), before.bytes())) << "nothing may be written";
  }
}

TEST(SwapArea, RefusesToMarkOverAnImage) {
  for (const std::string_view mark :
       {std::string_view("ULSUSPEND\0", 10), std::string_view("S1SUSPEND\0", 10)}) {
    MemoryBlockDevice disk = make_swap_disk({});
    put_text_at(disk.mutable_bytes(0, 4096), 4086, mark);
    const auto before = disk.clone();
    auto area = SwapArea::open(disk, DeviceOffset{0});
    ASSERT_TRUE(area);
    const auto marked = area->mark(kImage);
    ASSERT_FALSE(marked);
    EXPECT_EQ(marked.error().code, Errc::kBusy);
    EXPECT_TRUE(std::ranges::equal(disk.bytes(), before.bytes()));
  }
}

TEST(SwapArea, RefusesToPutBackWhatIsNoSwapSignature) {
  MemoryBlockDevice disk = make_swap_disk({});
  auto area = SwapArea::open(disk, DeviceOffset{0});
  ASSERT_TRUE(area->mark(kImage));
  const auto before = disk.clone();
  auto marked = SwapArea::open(disk, DeviceOffset{0});
  const auto cleared = marked->clear(MarkTailBytes{});
  ASSERT_FALSE(cleared) << "it would leave neither swap nor an image";
  EXPECT_EQ(cleared.error().code, Errc::kCorrupt);
  EXPECT_TRUE(std::ranges::equal(disk.bytes(), before.bytes()));
}

TEST(SwapArea, TheSignatureIsRestoredWhereTheImageIsNotOurs) {
  for (const std::string_view mark :
       {std::string_view("ULSUSPEND\0", 10), std::string_view("S1SUSPEND\0", 10),
        std::string_view("S2SUSPEND\0", 10), std::string_view("LINHIB0001", 10)}) {
    MemoryBlockDevice disk = make_swap_disk({});
    const auto plain = disk.clone();
    put_text_at(disk.mutable_bytes(0, 4096), 4076, "SWAPSPACE2");
    put_text_at(disk.mutable_bytes(0, 4096), 4086, mark);
    auto area = SwapArea::open(disk, DeviceOffset{0});
    ASSERT_TRUE(area->restore_signature()) << mark;
    EXPECT_EQ(SwapArea::open(disk, DeviceOffset{0})->signature(), SwapSignature::kPlain);
    // Only the signature changed; what else the mark's writer put there stays.
    EXPECT_TRUE(std::ranges::equal(disk.bytes().first(4076), plain.bytes().first(4076)));
  }
}

TEST(SwapArea, ASignatureThatWasNotKeptCannotBeRestored) {
  MemoryBlockDevice disk = make_swap_disk({});
  put_text_at(disk.mutable_bytes(0, 4096), 4086, std::string_view("ULSUSPEND\0", 10));
  auto area = SwapArea::open(disk, DeviceOffset{0});
  const auto before = disk.clone();
  EXPECT_EQ(area->restore_signature().error().code, Errc::kImpossible);
  EXPECT_TRUE(std::ranges::equal(disk.bytes(), before.bytes()));
}

TEST(SwapArea, DeviceErrorsNameTheStep) {
  MemoryBlockDevice disk = make_swap_disk({});
  FaultBlockDevice unreadable(disk, {.fail_at_call = 0});
  const auto area = SwapArea::open(unreadable, DeviceOffset{0});
  ASSERT_FALSE(area);
  EXPECT_EQ(area.error().code, Errc::kIo);
  EXPECT_EQ(area.error().operation, "read swap header");
  for (std::uint64_t call = 1; call <= 3; ++call) {
    MemoryBlockDevice other = make_swap_disk({});
    FaultBlockDevice faulty(other, {.fail_at_call = call});
    auto opened = SwapArea::open(faulty, DeviceOffset{0});
    const auto marked = opened->mark(kImage);
    ASSERT_FALSE(marked);
    EXPECT_EQ(marked.error().code, Errc::kIo);
    EXPECT_EQ(marked.error().errnum, EIO);
  }
}

}  // namespace
}  // namespace dormouse::test
