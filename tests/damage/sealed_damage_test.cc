/// A sealed image against somebody who can write to the disk and mends every checksum: each bit of it
/// flipped, its parts exchanged with one another and with those of other images under the same key. What the
/// fields mean is damaged beside, with all other images.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "dormouse/swap_area.h"

#include "damage/counting_device.h"
#include "damage/judge.h"
#include "damage/victim.h"
#include "support/stride.h"
#include "swap/swap_disk.h"

namespace dormouse::test {
namespace {

/// One chunk, packed into one page: every bit of it takes a whole reading. One that is stored as it is takes
/// another path.
const VictimShape kSmall{.name = "small",
                         .chunk_pages = 2,
                         .image_pages = 2,
                         .sealed = true,
                         .codecs = {{.id = CodecId::kZstd, .level = 1}}};
const VictimShape kStored{.name = "stored", .chunk_pages = 1, .image_pages = 1, .sealed = true};
const VictimShape kTwoChunks{.name = "two_chunks",
                             .chunk_pages = 2,
                             .image_pages = 4,
                             .sealed = true,
                             .codecs = {{.id = CodecId::kZstd, .level = 1}}};

class SealedDamage : public ::testing::Test {
 protected:
  explicit SealedDamage(const VictimShape& shape = kSmall) : victim_(shape) {}

  Outcome attempt() { return judge_.read(victim_.disk(), victim_.header_at(), victim_.bounds()); }

  enum class Mended : std::uint8_t { kNothing, kAll, kMap };

  /// Flips each bit of `bytes` from `at` on, or every `step`th, one by one, makes the checksums around it
  /// fit, and holds what comes of it to `expect`. Under a sanitizer, which takes its time and looks for other
  /// things, only some of them.
  void each_bit(std::uint64_t at, std::size_t bytes, Mended mended,
                const std::function<void(const Outcome&)>& expect, std::size_t step = 1) {
    for (std::size_t bit = 0; bit < 8 * bytes; bit += step * stride(31)) {
      const std::uint64_t byte = at + bit / 8;
      victim_.change(byte, 1)[0] ^= std::byte{1} << (bit % 8);
      // The flipped byte stays as it is, also where it is a part of a checksum.
      if (mended == Mended::kAll) victim_.reseal(byte, 1, false);
      if (mended == Mended::kMap) mend_map(byte, 1);
      const Outcome outcome = attempt();
      tally_.add(outcome);
      expect(outcome);
      victim_.restore();
      ASSERT_FALSE(HasFailure()) << "byte " << byte << ", bit " << bit % 8 << ": " << outcome.what();
    }
  }
  void mend_all() { victim_.reseal(0, 0, false); }
  /// The header, which nobody can seal again, is left as it is.
  void mend_map(std::uint64_t kept_at = 0, std::size_t kept = 0) {
    const auto before = victim_.disk().bytes().subspan(header(), 3584);
    const std::vector<std::byte> sound(before.begin(), before.end());
    victim_.reseal(kept_at, kept, false);
    std::ranges::copy(sound, victim_.change(header(), 3584).begin());
  }
  [[nodiscard]] std::uint64_t header() const { return to_bytes(victim_.header_at()); }
  [[nodiscard]] std::uint64_t place_of(const RecordPlace& extent) {
    return get_integer(victim_.disk().bytes(), extent.at, 8) % (std::uint64_t{1} << 44) *
           victim_.shape().page_bytes;
  }
  void copy_from(Victim& other, std::uint64_t from, std::uint64_t to, std::size_t bytes) {
    std::ranges::copy(other.disk().bytes().subspan(from, bytes), victim_.change(to, bytes).begin());
  }
  void expect_refused() {
    const Outcome outcome = attempt();
    tally_.add(outcome);
    expect_damage(outcome);
    victim_.restore();
  }

  Victim victim_;
  Judge judge_{2 * 4096, victim_.stream(), victim_key()};
  Tally tally_{std::string("sealed, ") + ::testing::UnitTest::GetInstance()->current_test_info()->name()};
};

TEST_F(SealedDamage, IsReadWhereThereIsNone) {
  const Outcome outcome = attempt();
  EXPECT_FALSE(outcome.error) << outcome.what();
  EXPECT_EQ(victim_.records(RecordKind::kMapHeader).size(), 1U);
  EXPECT_EQ(victim_.chunks(), 1U);
  EXPECT_EQ(victim_.extents_of(0).size(), 1U);
  EXPECT_EQ(victim_.disk().bytes()[victim_.records(RecordKind::kChunk)[0].at + 4], std::byte{3}) << "packed";
}

TEST_F(SealedDamage, EveryBitOfTheHeaderWithAChecksumThatFits) {
  each_bit(header(), 3584, Mended::kAll, [](const Outcome& outcome) {
    ASSERT_TRUE(outcome.error);
    // What is not ours any more is not read either.
    EXPECT_FALSE(outcome.opened);
    EXPECT_TRUE(exit_code(outcome.error->code) == 3 || outcome.error->code == Errc::kNoImage);
  });
}

TEST_F(SealedDamage, EveryBitOfTheHeaderAsItIs) {
  each_bit(header(), 3584, Mended::kNothing, [](const Outcome& outcome) {
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(exit_code(outcome.error->code), 3);
    EXPECT_FALSE(outcome.opened);
  });
}

/// It may withhold the image, and that is not the reader's business; never does it lead to other pages.
TEST_F(SealedDamage, BitsOfTheNoteAreHarmless) {
  constexpr std::size_t kStep = 5;
  for (const Mended mended : {Mended::kNothing, Mended::kAll}) {
    each_bit(
        header() + 3584, 512, mended, [](const Outcome& outcome) { EXPECT_FALSE(outcome.error); }, kStep);
  }
}

TEST_F(SealedDamage, EveryBitOfTheMap) {
  for (const Mended mended : {Mended::kNothing, Mended::kMap})
    each_bit(victim_.records(RecordKind::kMapHeader).front().at, kSmall.page_bytes, mended, expect_damage);
}

TEST_F(SealedDamage, EveryBitOfAChunk) {
  each_bit(place_of(victim_.extents_of(0).front()), kSmall.page_bytes, Mended::kNothing, expect_damage);
}

class StoredChunk : public SealedDamage {
 protected:
  StoredChunk() : SealedDamage(kStored) {}
};

TEST_F(StoredChunk, BitsAllOverIt) {
  constexpr std::size_t kStep = 13;
  each_bit(place_of(victim_.extents_of(0).front()), kStored.page_bytes, Mended::kNothing, expect_damage,
           kStep);
}

/// The fields that mkswap and the mark fill; what else the page holds nobody looks at.
TEST_F(SealedDamage, EveryBitOfTheMarkLeadsToTheImageOrNowhere) {
  for (const auto& [at, bytes] : {std::pair{std::uint64_t{1024}, std::size_t{28}}, {4096 - 28, 28}}) {
    for (std::size_t bit = 0; bit < 8 * bytes; ++bit) {
      victim_.change(at + bit / 8, 1)[0] ^= std::byte{1} << (bit % 8);
      CountingDevice device(victim_.disk());
      const auto area = SwapArea::open(device, DeviceOffset{0});
      if (area && area->signature() == SwapSignature::kUserMark) {
        // The judge sees to it that nothing is passed on but the pages of the image.
        const Outcome outcome = judge_.read(
            victim_.disk(), area->marked_image_header(),
            {.end_page = area->last_page() + 1U, .swap_header_page = 0, .page_bytes = area->page_bytes()});
        tally_.add(outcome);
      }
      victim_.restore();
      ASSERT_FALSE(HasFailure()) << "byte " << at + bit / 8 << ", bit " << bit % 8;
    }
  }
  EXPECT_GT(tally_.refused(), 0U);
}

/// Another image of the same machine, opened by the same key file.
class OtherImage : public SealedDamage {
 protected:
  OtherImage() : SealedDamage(kTwoChunks) {}
  // A longer one has the same chunks at its start, and other keys and tags.
  static VictimShape longer() {
    VictimShape shape = kTwoChunks;
    shape.image_pages = 8;
    return shape;
  }
  Victim other_{longer()};
  Victim same_{kTwoChunks};
};

TEST_F(OtherImage, ChunksWithTheirTagsAndPlacesExchanged) {
  const auto chunks = victim_.records(RecordKind::kChunk);
  const auto swap = [&](std::uint64_t one, std::uint64_t other, std::size_t bytes) {
    std::ranges::swap_ranges(victim_.change(one, bytes), victim_.change(other, bytes));
  };
  // The tags alone; then with the places, so that the data of each goes with its own tag.
  swap(chunks[0].at + 32, chunks[1].at + 32, 16);
  mend_map();
  expect_refused();
  const auto first = victim_.extents_of(0);
  const auto second = victim_.extents_of(1);
  swap(chunks[0].at + 4, chunks[1].at + 4, 1);
  swap(chunks[0].at + 28, chunks[1].at + 28, 20);
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) swap(first[i].at, second[i].at, 8);
  mend_map();
  expect_refused();
}

TEST_F(OtherImage, ItsHeaderInPlaceOfThisOne) {
  copy_from(other_, to_bytes(other_.header_at()), header(), 4096);
  expect_refused();
  // With this one's slots it has the right key; with its id too, the right everything but the tag.
  copy_from(other_, to_bytes(other_.header_at()), header(), 4096);
  copy_from(same_, header() + 592, header() + 592, 2048);
  mend_all();
  expect_refused();
}

TEST_F(OtherImage, ItsSlotsInPlaceOfThisOnes) {
  std::ranges::fill(other_.change(to_bytes(other_.header_at()) + 592, 256), std::byte{0x11});
  copy_from(other_, to_bytes(other_.header_at()) + 592, header() + 592, 2048);
  mend_all();
  expect_refused();
}

TEST_F(OtherImage, ItsMapInPlaceOfThisOne) {
  copy_from(other_, other_.records(RecordKind::kMapHeader).front().at,
            victim_.records(RecordKind::kMapHeader).front().at, kTwoChunks.page_bytes);
  mend_all();
  expect_refused();
}

TEST_F(OtherImage, AWayMoreOrLess) {
  const auto put = [&](std::uint64_t at, std::uint64_t value) {
    put_integer(victim_.change(at, 1), 0, value, 1);
  };
  // The second slot dropped; then copied behind as a third one.
  put(header() + 537, 1);
  std::ranges::fill(victim_.change(header() + 592 + 256, 256), std::byte{0});
  mend_all();
  expect_refused();
  put(header() + 537, 3);
  copy_from(same_, header() + 592 + 256, header() + 592 + 512, 256);
  mend_all();
  expect_refused();
}

/// Without the bit that says that it is sealed, a reader takes it for a plain image; its chunks have no
/// checksums then.
TEST_F(OtherImage, MadePlainByWhoeverHoldsTheDisk) {
  put_integer(victim_.change(header() + 12, 4), 0, 0, 4);
  std::ranges::fill(victim_.change(header() + 536, 3040), std::byte{0});
  mend_all();
  expect_refused();
}

}  // namespace
}  // namespace dormouse::test
