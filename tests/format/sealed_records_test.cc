/// The fields that only a sealed image has: what a decoder lets through before anybody can tell whether it is
/// authentic.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "dormouse/sealing.h"

#include "format/image_header.h"
#include "format/record_damage.h"
#include "format/swap_map_page.h"

namespace dormouse::test {
namespace {

constexpr DeviceOffset kAt{4096};

KeySlot make_slot(KeyWay way) {
  KeySlot slot;
  slot.way = static_cast<std::uint8_t>(way);
  if (way != KeyWay::kKeyFile) {
    slot.memory_kib = 65536;
    slot.passes = 3;
    slot.lanes = 1;
  }
  slot.salt.fill(std::byte{1});
  slot.wrap_nonce.fill(std::byte{2});
  slot.wrapped_key.fill(std::byte{3});
  slot.wrap_tag.fill(std::byte{4});
  slot.ephemeral_public.fill(std::byte{5});
  if (way == KeyWay::kKeyPair) {
    slot.public_key.fill(std::byte{6});
    slot.private_nonce.fill(std::byte{7});
    slot.sealed_private.fill(std::byte{8});
    slot.private_tag.fill(std::byte{9});
  }
  return slot;
}

ImageHeaderPage make_sealed() {
  ImageHeaderPage record;
  ImageHeader& h = record.header;
  h.features_required = kFeatureSealed;
  h.page_bytes = 4096;
  h.chunk_pages = 16;
  h.image_pages = 1000;
  h.chunk_count = 63;
  h.map_first_page = 2;
  h.map_pages = 1;
  h.stored_pages = 700;
  h.codecs[0] = {.codec = 2, .level = 1, .chunks = 63};
  h.original_tail = get_tail(make_swap_page({}));
  h.cipher = 2;
  h.ways = 3;
  h.map_digest.fill(std::byte{0x11});
  h.header_tag.fill(std::byte{0x22});
  h.slots[0] = make_slot(KeyWay::kPassphrase);
  h.slots[1] = make_slot(KeyWay::kKeyPair);
  h.slots[2] = make_slot(KeyWay::kKeyFile);
  return record;
}

Result<ImageHeaderPage> decode(ImageHeaderPage record) {
  std::vector<std::byte> page(4096);
  encode_image_header(record, page);
  return decode_image_header(page, kAt);
}

void expect_refused(const std::function<void(ImageHeader&)>& change, std::string_view words) {
  ImageHeaderPage record = make_sealed();
  change(record.header);
  const auto decoded = decode(record);
  ASSERT_FALSE(decoded) << words;
  EXPECT_EQ(decoded.error().code, Errc::kCorrupt);
  EXPECT_EQ(decoded.error().offset, to_bytes(kAt));
  EXPECT_NE(decoded.error().what().find(words), std::string::npos) << decoded.error().what();
}

TEST(SealedHeader, ComesBackAsItWasWritten) {
  ImageHeaderPage record = make_sealed();
  std::vector<std::byte> page(4096);
  encode_image_header(record, page);
  const auto decoded = decode_image_header(page, kAt);
  ASSERT_TRUE(decoded) << decoded.error().what();
  EXPECT_EQ(std::memcmp(&*decoded, &record, sizeof record), 0);
  EXPECT_TRUE(decoded->header.sealed());
}

TEST(SealedHeader, LiesWhereTheFormatSays) {
  ImageHeaderPage record = make_sealed();
  std::vector<std::byte> page(4096);
  encode_image_header(record, page);
  EXPECT_EQ(get_integer(page, 12, 4), 1U);
  EXPECT_EQ(page[536], std::byte{2});
  EXPECT_EQ(page[537], std::byte{3});
  EXPECT_EQ(page[544], std::byte{0x11});
  EXPECT_EQ(page[575], std::byte{0x11});
  EXPECT_EQ(page[576], std::byte{0x22});
  EXPECT_EQ(page[591], std::byte{0x22});
  EXPECT_EQ(page[592], std::byte{1});
  EXPECT_EQ(get_integer(page, 592 + 4, 4), 65536U);
  EXPECT_EQ(page[592 + 256], std::byte{2});
  EXPECT_EQ(page[592 + 512], std::byte{3});
}

TEST(SealedHeader, WhatIsNotKnownIsRefused) {
  for (const unsigned cipher : {0U, 4U, 255U}) {
    expect_refused([&](ImageHeader& h) { h.cipher = static_cast<std::uint8_t>(cipher); },
                   fmt::format("sealed with cipher {}", cipher));
  }
  for (const unsigned ways : {0U, 9U, 255U}) {
    expect_refused([&](ImageHeader& h) { h.ways = static_cast<std::uint8_t>(ways); },
                   fmt::format("states {} ways", ways));
  }
  expect_refused([](ImageHeader& h) { h.ways = 2; }, "not in use");
  expect_refused([](ImageHeader& h) { h.ways = 4; }, "key slot 3: its way is not known");
  expect_refused([](ImageHeader& h) { h.slots[1].way = 4; }, "key slot 1: its way is not known");
  expect_refused([](ImageHeader& h) { h.slots[7].private_tag[15] = std::byte{1}; }, "not in use");
  expect_refused([](ImageHeader& h) { h.reserved_2[5] = std::byte{1}; }, "reserved");
  expect_refused([](ImageHeader& h) { h.reserved[935] = std::byte{1}; }, "reserved");
  expect_refused([](ImageHeader& h) { h.features_required = 0; }, "reserved");
  expect_refused([](ImageHeader& h) { h.features_required = 3; }, "0x2");
}

TEST(SealedHeader, FieldsThatAWayDoesNotUseAreZero) {
  const std::function<void(KeySlot&)> pair_fields[] = {[](KeySlot& s) { s.public_key[31] = std::byte{1}; },
                                                       [](KeySlot& s) { s.private_nonce[0] = std::byte{1}; },
                                                       [](KeySlot& s) { s.sealed_private[0] = std::byte{1}; },
                                                       [](KeySlot& s) { s.private_tag[0] = std::byte{1}; }};
  for (const auto& set : pair_fields) {
    for (const std::size_t slot : {0U, 2U})
      expect_refused([&](ImageHeader& h) { set(h.slots[slot]); }, fmt::format("key slot {}: fields", slot));
  }
  expect_refused([](ImageHeader& h) { h.slots[2].memory_kib = 8; }, "key slot 2: fields");
  expect_refused([](ImageHeader& h) { h.slots[2].passes = 1; }, "key slot 2: fields");
  expect_refused([](ImageHeader& h) { h.slots[2].lanes = 1; }, "key slot 2: fields");
  const std::function<void(KeySlot&)> reserved_fields[] = {
      [](KeySlot& s) { s.reserved_0[2] = std::byte{1}; }, [](KeySlot& s) { s.reserved_1 = 1U; },
      [](KeySlot& s) { s.reserved_2 = 1U << 31; }, [](KeySlot& s) { s.reserved_3[31] = std::byte{1}; }};
  for (const auto& set : reserved_fields) {
    for (const std::size_t slot : {0U, 1U, 2U})
      expect_refused([&](ImageHeader& h) { set(h.slots[slot]); }, fmt::format("key slot {}: reserved", slot));
  }
}

/// Nobody can tell yet who wrote the header: it must not make a reader work for ever, or take all memory.
TEST(SealedHeader, NoPassphraseCostsMoreThanAReaderCanPay) {
  struct Cost {
    std::uint32_t memory_kib;
    std::uint32_t passes;
    std::uint32_t lanes;
    bool payable;
  };
  for (const Cost& cost : {Cost{8, 1, 1, true},
                           {7, 1, 1, false},
                           {31, 1, 4, false},
                           {32, 1, 4, true},
                           {65536, 64, 1, true},
                           {65537, 64, 1, false},
                           {65536, 65, 1, false},
                           {8, 65, 1, false},
                           {8, 0, 1, false},
                           {8, 1, 0, false},
                           {65536, 3, 5, false},
                           {262144, 16, 4, true},
                           {262144, 17, 4, false},
                           {262145, 1, 1, false},
                           {0xffffffff, 1, 1, false},
                           {0x80000000, 2, 1, false},
                           {8, 0xffffffff, 1, false},
                           {8, 1, 0xffffffff, false}}) {
    for (const std::size_t slot : {0U, 1U}) {
      ImageHeaderPage record = make_sealed();
      record.header.slots[slot].memory_kib = cost.memory_kib;
      record.header.slots[slot].passes = cost.passes;
      record.header.slots[slot].lanes = cost.lanes;
      EXPECT_EQ(decode(record).has_value(), cost.payable)
          << cost.memory_kib << " KiB, " << cost.passes << " passes, " << cost.lanes << " lanes";
    }
  }
}

TEST(SealedHeader, ItsTagIsMadeOverAllButItselfAndTheChecksum) {
  const ImageHeader header = make_sealed().header;
  const ImageHeader plain = header.without_tag();
  const auto before = std::as_bytes(std::span(&header, 1));
  const auto after = std::as_bytes(std::span(&plain, 1));
  for (std::size_t i = 0; i < sizeof header; ++i) {
    const bool left_out = (i >= 576 && i < 592) || i >= 3576;
    EXPECT_EQ(after[i], left_out ? std::byte{0} : before[i]) << "byte " << i;
  }
}

TEST(SealedChunk, ItsTagTakesThePlaceOfBothChecksums) {
  ChunkHeader header;
  ChunkTag tag;
  for (std::size_t i = 0; i < tag.size(); ++i) tag[i] = static_cast<std::byte>(0xa0 + i);
  put_tag(header, tag);
  const auto bytes = std::as_bytes(std::span(&header, 1));
  EXPECT_TRUE(std::ranges::equal(bytes.subspan(32), tag));
  EXPECT_EQ(get_tag(header), tag);
  EXPECT_EQ(std::uint16_t{header.type}, 1U);
}

TEST(SealedChunk, ItsHeaderIsAuthenticatedButForItsExtents) {
  ImageId id;
  id.fill(std::byte{0x77});
  ChunkHeader header;
  header.extent_count = 3;
  header.codec = 2;
  header.number = 5;
  header.first_page = 80;
  header.pages = 16;
  header.packed_bytes = 30000;
  const ChunkAssociated data = associated_data(id, header);
  EXPECT_TRUE(std::ranges::equal(std::span(data).first(16), id));
  const auto expect_same = [&](bool same) { EXPECT_EQ(associated_data(id, header) == data, same); };
  header.extent_count = 4;
  put_tag(header, ChunkTag{std::byte{1}});
  expect_same(true);
  auto bytes = std::as_writable_bytes(std::span(&header, 1));
  for (std::size_t i = 0; i < 32; ++i) {
    if (i == 2 || i == 3) continue;  // extent_count
    bytes[i] ^= std::byte{1};
    expect_same(false);
    bytes[i] ^= std::byte{1};
  }
  id[15] ^= std::byte{1};
  expect_same(false);
}

}  // namespace
}  // namespace dormouse::test
