/// The swap header decoder against everything that a first page can hold.
#include "format/swap_header.h"

#include <gtest/gtest.h>

#include <string>

#include "format/record_damage.h"

namespace dormouse::test {
namespace {

constexpr std::uint32_t kPageSizes[] = {4096, 16384, 65536};

Result<SwapHeader> decode(std::span<const std::byte> page, const SwapShape& shape,
                          std::uint64_t spare_pages = 0) {
  return decode_swap_header(page, (std::uint64_t{shape.last_page} + 1 + spare_pages) * shape.page_bytes);
}

void expect_refused(std::span<const std::byte> page, const SwapShape& shape, std::string_view why) {
  const auto header = decode(page, shape);
  ASSERT_FALSE(header) << why;
  EXPECT_EQ(header.error().code, Errc::kImpossible);
  EXPECT_NE(header.error().what().find(why), std::string::npos) << header.error().what();
}

TEST(SwapHeader, IsReadAtEveryPageSize) {
  for (const std::uint32_t page_bytes : kPageSizes) {
    const SwapShape shape{.page_bytes = page_bytes, .last_page = 99, .bad_pages = {7, 3, 99}};
    auto page = make_swap_page(shape);
    const auto header = decode(page, shape);
    ASSERT_TRUE(header) << header.error().what();
    EXPECT_EQ(header->page_bytes, page_bytes);
    EXPECT_EQ(header->signature, SwapSignature::kPlain);
    EXPECT_EQ(header->last_page, 99U);
    EXPECT_EQ(header->uuid[15], std::byte{0xaf});
    EXPECT_EQ(bad_pages_of(page), (std::vector<std::uint32_t>{7, 3, 99}));
    // The area may be followed by other pages of the same device, and more of it may have been read.
    page.resize(kMaxPageBytes);
    ASSERT_TRUE(decode(page, shape, 100));
    EXPECT_EQ(decode(page, shape, 100)->page_bytes, page_bytes);
  }
}

TEST(SwapHeader, EverySignatureIsTold) {
  const std::pair<std::string_view, SwapSignature> signatures[] = {
      {"SWAPSPACE2", SwapSignature::kPlain},
      {std::string_view("ULSUSPEND\0", 10), SwapSignature::kUserMark},
      {std::string_view("S1SUSPEND\0", 10), SwapSignature::kKernel},
      {std::string_view("S2SUSPEND\0", 10), SwapSignature::kS2Suspend},
      {"LINHIB0001", SwapSignature::kLinhib},
  };
  for (const std::uint32_t page_bytes : kPageSizes) {
    for (const auto& [text, signature] : signatures) {
      const SwapShape shape{.page_bytes = page_bytes};
      auto page = make_swap_page(shape);
      put_text_at(page, page.size() - 10, text);
      const auto header = decode(page, shape);
      ASSERT_TRUE(header) << header.error().what();
      EXPECT_EQ(header->signature, signature);
      EXPECT_NE(describe(signature), "an unknown signature");
    }
    auto page = make_swap_page({.page_bytes = page_bytes});
    constexpr unsigned char magic[] = {0xed, 0xc3, 0x02, 0xe9, 0x98, 0x56, 0xe5, 0x0c};
    std::memcpy(page.data(), magic, sizeof magic);
    EXPECT_EQ(decode(page, {})->signature, SwapSignature::kTuxOnIce);
    for (const std::string_view unknown : {"SWAP-SPACE", "SWAPSPACE3", "          ", "EXT4"}) {
      auto other = make_swap_page({.page_bytes = page_bytes});
      put_text_at(other, other.size() - 10, unknown);
      expect_refused(other, {.page_bytes = page_bytes}, "no swap signature");
    }
  }
}

TEST(SwapHeader, WhatIsNoSwapAreaIsRefusedWithWords) {
  for (const std::uint32_t page_bytes : kPageSizes) {
    const SwapShape shape{.page_bytes = page_bytes, .last_page = 99};
    const auto with = [&](std::size_t at, std::uint32_t value) {
      auto page = make_swap_page(shape);
      put_integer(page, at, value, 4);
      return page;
    };
    expect_refused(with(1024, 0x01000000), shape, "other byte order");
    for (const std::uint32_t version : {0U, 2U, 0x00010000U, 0xffffffffU}) {
      expect_refused(with(1024, version), shape, "version");
    }
    expect_refused(with(1028, 0), shape, "last page 0");
    expect_refused(with(1028, 100), shape, "last page is 100");
    expect_refused(with(1028, 0xffffffff), shape, "last page");
    EXPECT_TRUE(decode(with(1028, 98), shape)) << "an area may be shorter than its device";
  }
  expect_refused(std::vector<std::byte>(512), {}, "no swap signature");
  expect_refused({}, {}, "no swap signature");
}

// B.1: mkswap allows (P - 1546) / 4 entries; the last ones would lie where the mark goes.
TEST(SwapHeader, TheBadPageListMustLeaveTheMarkAlone) {
  for (const std::uint32_t page_bytes : kPageSizes) {
    const std::uint32_t room = (page_bytes - 28 - 1536) / 4;
    const SwapShape shape{.page_bytes = page_bytes, .last_page = 20000};
    for (const std::uint32_t count : {room, room + 1, (page_bytes - 1546) / 4, 0xffffffffU}) {
      auto page = make_swap_page(shape);
      put_integer(page, 1032, count, 4);
      for (std::uint32_t i = 0; i < std::min(count, room); ++i)
        put_integer(page, 1536 + 4 * std::size_t{i}, i + 1, 4);
      const auto header = decode(page, shape);
      ASSERT_EQ(header.has_value(), count == room) << count;
      if (!header) {
        EXPECT_NE(header.error().what().find(std::to_string(room)), std::string::npos);
        continue;
      }
      // Marking must not change an entry, and undoing the mark must give every byte back.
      const auto before = page;
      put_mark(page, DeviceOffset{4096});
      EXPECT_EQ(bad_page(page, room - 1), room);
      put_tail(page, get_tail(before));
      EXPECT_TRUE(page == before);
    }
  }
}

TEST(SwapHeader, BadPagesOutsideTheAreaAreRefused) {
  const SwapShape shape{.last_page = 99};
  for (const std::uint32_t bad : {0U, 100U, 0xffffffffU}) {
    expect_refused(make_swap_page({.last_page = 99, .bad_pages = {5, bad}}), shape, "entry 1");
  }
  EXPECT_TRUE(decode(make_swap_page({.last_page = 99, .bad_pages = {99, 1, 1}}), shape))
      << "unsorted, twice: allowed";
}

TEST(SwapHeader, EveryDamagedFieldIsRefusedOrHarmless) {
  const SwapShape shape{.last_page = 99, .bad_pages = {5, 50}};
  const auto page = make_swap_page(shape);
  std::uint64_t tried = 0;
  for (const Field& field : {Field{"version", 1024, 4},
                             {"last page", 1028, 4},
                             {"bad pages", 1032, 4},
                             {"first bad page", 1536, 4},
                             {"signature", 4086, 10}}) {
    for_each_damage(page, field, [&](const std::string& what, std::span<std::byte> damaged) {
      ++tried;
      const auto header = decode(damaged, shape);
      if (!header) {
        EXPECT_EQ(header.error().code, Errc::kImpossible) << what;
        return;
      }
      EXPECT_LE(header->last_page, 99U) << what;
      EXPECT_GE(header->last_page, 1U) << what;
      for (std::uint32_t i = 0; i < header->bad_page_count; ++i) {
        EXPECT_GE(bad_page(damaged, i), 1U) << what;
        EXPECT_LE(bad_page(damaged, i), header->last_page) << what;
      }
    });
  }
  EXPECT_GT(tried, 100U);
}

// uswsusp's layout: the offset, the signature that was there, the mark.
TEST(Mark, ChangesTheLastTwentyEightBytesAndNothingElse) {
  for (const std::uint32_t page_bytes : kPageSizes) {
    auto page = make_swap_page({.page_bytes = page_bytes});
    for (std::size_t i = page.size() - 28; i < page.size() - 10; ++i) page[i] = std::byte{0x77};
    const auto before = page;
    put_mark(page, DeviceOffset{0x123456789000});
    EXPECT_TRUE(std::equal(page.begin(), page.end() - 28, before.begin()));
    const auto tail = std::span(page).last(28);
    EXPECT_EQ(get_integer(tail, 0, 8), 0x123456789000U);
    EXPECT_EQ(std::memcmp(tail.data() + 8, "SWAPSPACE2ULSUSPEND\0", 20), 0);
    EXPECT_EQ(decode(page, {.page_bytes = page_bytes})->signature, SwapSignature::kUserMark);
    EXPECT_EQ(decode(page, {.page_bytes = page_bytes})->tail.image_header_offset, 0x123456789000U);
    put_tail(page, get_tail(before));
    EXPECT_TRUE(page == before);
  }
}

}  // namespace
}  // namespace dormouse::test
