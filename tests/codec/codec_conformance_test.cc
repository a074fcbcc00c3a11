/// One suite for every codec and several levels: what Codec promises holds for each of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "dormouse/codec.h"

#include "support/bytes.h"
#include "support/page_patterns.h"

namespace dormouse {

/// For GoogleTest, which would print the padding as well.
void PrintTo(const CodecSpec& spec, std::ostream* out) {
  *out << codec_name(spec.id) << ':' << spec.level;
}

namespace {

using test::Bytes;
using test::make_mix;
using test::make_pattern;
using test::PagePattern;
using test::SeededRandom;

constexpr std::size_t kMaxBytes = std::size_t{4} << 20;
constexpr std::byte kGuard{0xa5};
constexpr std::size_t kGuardBytes = 64;

/// Room with guard bytes on both sides, so that a write past either end is seen even without a sanitizer.
class GuardedRoom {
 public:
  explicit GuardedRoom(std::size_t bytes) : memory_(bytes + 2 * kGuardBytes, kGuard) {}
  std::span<std::byte> span() {
    return std::span(memory_).subspan(kGuardBytes, memory_.size() - 2 * kGuardBytes);
  }
  [[nodiscard]] bool intact() const {
    const auto is_guard = [](std::byte b) { return b == kGuard; };
    return std::all_of(memory_.begin(), memory_.begin() + kGuardBytes, is_guard) &&
           std::all_of(memory_.end() - kGuardBytes, memory_.end(), is_guard);
  }

 private:
  Bytes memory_;
};

class CodecConformance : public ::testing::TestWithParam<CodecSpec> {
 protected:
  static std::unique_ptr<Codec> make(std::size_t chunk_bytes = kMaxBytes) {
    auto codec = make_codec(GetParam(), chunk_bytes);
    if (!codec) ADD_FAILURE() << codec.error().what();
    return codec ? std::move(*codec) : nullptr;
  }
  static bool stores() { return GetParam().id == CodecId::kStored; }

  /// Packed bytes, or an empty vector where the chunk does not shrink into `capacity`.
  static Bytes pack(Codec& codec, const Bytes& in, std::size_t capacity) {
    GuardedRoom room(capacity);
    const auto packed = codec.pack(in, room.span());
    EXPECT_TRUE(room.intact());
    if (!packed) return {};
    EXPECT_LE(*packed, capacity);
    return Bytes(room.span().begin(), room.span().begin() + static_cast<std::ptrdiff_t>(*packed));
  }

  /// The chunk as it would be stored, whether it shrinks or not.
  static Bytes pack_anyway(Codec& codec, const Bytes& in) {
    if (stores()) return in;
    const Bytes packed = pack(codec, in, 2 * in.size() + 64);
    EXPECT_FALSE(packed.empty()) << in.size() << " bytes";
    return packed;
  }

  /// True where unpacking gave exactly `expected`; false where it was refused. Never anything else.
  static bool unpacks_to(Codec& codec, const Bytes& packed, const Bytes& expected) {
    // Exactly sized heap memory: a sanitizer sees a read past the end of the input as well.
    const std::unique_ptr<std::byte[]> in(new std::byte[packed.size()]);
    std::ranges::copy(packed, in.get());
    GuardedRoom room(expected.size());
    const auto done = codec.unpack({in.get(), packed.size()}, room.span());
    EXPECT_TRUE(room.intact());
    if (!done) {
      EXPECT_EQ(done.error().code, Errc::kCorrupt);
      return false;
    }
    return std::ranges::equal(room.span(), expected);
  }
};

TEST_P(CodecConformance, SaysWhatItIs) {
  EXPECT_EQ(make()->spec(), GetParam());
}

TEST_P(CodecConformance, GivesBackWhatItPacked) {
  auto codec = make();
  auto unpacker = make_unpacker(GetParam().id, kMaxBytes);
  ASSERT_TRUE(unpacker);
  for (const PagePattern pattern : {PagePattern::kZero, PagePattern::kText, PagePattern::kCode,
                                    PagePattern::kPointers, PagePattern::kRandom}) {
    for (const std::size_t bytes :
         {4096UL, 8192UL, 12288UL, 65536UL, 131072UL, 262144UL, 266240UL, 1048576UL}) {
      const Bytes in = make_pattern(pattern, bytes, bytes);
      const Bytes packed = pack_anyway(*codec, in);
      EXPECT_TRUE(unpacks_to(*codec, packed, in))
          << "kind " << static_cast<int>(pattern) << ", " << bytes << " bytes";
      EXPECT_TRUE(unpacks_to(**unpacker, packed, in)) << "an unpacker alone";
    }
  }
}

TEST_P(CodecConformance, GivesBackTheLargestChunk) {
  auto codec = make();
  const Bytes in = make_mix(1, kMaxBytes);
  EXPECT_TRUE(unpacks_to(*codec, pack_anyway(*codec, in), in));
}

TEST_P(CodecConformance, ShrinksWhatCanShrink) {
  auto codec = make();
  // Text and code are left out: the quickest levels find too little in them.
  for (const PagePattern pattern : {PagePattern::kZero, PagePattern::kPointers}) {
    const Bytes packed = pack(*codec, make_pattern(pattern, 1, 262144), 262144 - 4096);
    EXPECT_EQ(packed.empty(), stores()) << "kind " << static_cast<int>(pattern);
  }
}

TEST_P(CodecConformance, GivesBackAnyMixAndAnyLengthUpToTheChunk) {
  constexpr std::size_t kChunk = 65536;
  auto codec = make(kChunk);
  SeededRandom random(7);
  for (int round = 0; round < 60; ++round) {
    const std::size_t bytes = 1 + random.below(kChunk);
    const Bytes in = make_mix(random.next(), bytes);
    const Bytes packed = pack(*codec, in, bytes);
    if (!packed.empty()) {
      EXPECT_TRUE(unpacks_to(*codec, packed, in)) << "round " << round << ", " << bytes << " bytes";
    }
  }
}

TEST_P(CodecConformance, LeavesToTheCallerWhatDoesNotShrink) {
  auto codec = make();
  for (const std::size_t bytes : {4096UL, 262144UL, 1048576UL}) {
    EXPECT_TRUE(pack(*codec, make_pattern(PagePattern::kRandom, 1, bytes), bytes - 4096).empty());
  }
}

TEST_P(CodecConformance, NeverWritesPastASmallRoom) {
  constexpr std::size_t kChunk = 16384;
  auto codec = make(kChunk);
  const Bytes in = make_mix(3, kChunk);
  const Bytes whole = pack(*codec, in, 2 * kChunk);
  EXPECT_EQ(whole.empty(), stores());
  for (std::size_t capacity = 0; capacity < 200; ++capacity) pack(*codec, in, capacity);
  // Around the exact size: either refused, or complete. A codec may want a few bytes more than it uses.
  for (std::size_t capacity = whole.size() > 40 ? whole.size() - 40 : 0; capacity < whole.size() + 40;
       ++capacity) {
    const Bytes packed = pack(*codec, in, capacity);
    if (!packed.empty()) {
      EXPECT_TRUE(unpacks_to(*codec, packed, in)) << "room for " << capacity;
    }
  }
  EXPECT_EQ(pack(*codec, in, whole.size() + 40).empty(), stores());
}

TEST_P(CodecConformance, RefusesAnotherLength) {
  constexpr std::size_t kChunk = 32768;
  auto codec = make(kChunk);
  const Bytes in = make_pattern(PagePattern::kText, 5, kChunk);
  const Bytes packed = pack_anyway(*codec, in);
  for (const std::ptrdiff_t difference : {-32768, -4096, -1, 1, 4096}) {
    Bytes other(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(kChunk) + difference));
    GuardedRoom room(other.size());
    const auto done = codec->unpack(packed, room.span());
    ASSERT_FALSE(done) << difference;
    EXPECT_EQ(done.error().code, Errc::kCorrupt);
    EXPECT_TRUE(room.intact());
  }
}

TEST_P(CodecConformance, RefusesEveryTruncation) {
  constexpr std::size_t kChunk = 4096;
  auto codec = make(kChunk);
  const Bytes in = make_pattern(PagePattern::kCode, 5, kChunk);
  const Bytes packed = pack_anyway(*codec, in);
  for (std::size_t length = 0; length < packed.size(); ++length) {
    EXPECT_FALSE(
        unpacks_to(*codec, Bytes(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(length)), in))
        << length << " of " << packed.size();
  }
}

TEST_P(CodecConformance, RefusesBytesTooMany) {
  constexpr std::size_t kChunk = 16384;
  auto codec = make(kChunk);
  const Bytes in = make_pattern(PagePattern::kPointers, 5, kChunk);
  Bytes packed = pack_anyway(*codec, in);
  for (const std::size_t extra : {1UL, 2UL, 3UL, 7UL, 4096UL}) {
    for (const unsigned fill : {0x00U, 0x5aU, 0xffU}) {
      Bytes longer = packed;
      longer.resize(packed.size() + extra, static_cast<std::byte>(fill));
      EXPECT_FALSE(unpacks_to(*codec, longer, in)) << extra << " bytes of " << fill;
    }
  }
}

TEST_P(CodecConformance, SurvivesAnyDamage) {
  constexpr std::size_t kChunk = 16384;
  auto codec = make(kChunk);
  const Bytes in = make_mix(11, kChunk, {.zero = 1, .text = 3, .code = 3, .pointers = 3, .random = 0});
  const Bytes packed = pack_anyway(*codec, in);
  SeededRandom random(13);
  for (int round = 0; round < 3000; ++round) {
    Bytes damaged = packed;
    for (std::uint64_t flips = 1 + random.below(8); flips > 0; --flips) {
      damaged[random.below(damaged.size())] ^= static_cast<std::byte>(1U << random.below(8));
    }
    if (random.below(4) == 0) damaged.resize(random.below(damaged.size()) + 1);
    // Damage may go unseen here (the chunk's checksum is for that); it must not crash or leave `out`.
    unpacks_to(*codec, damaged, in);
  }
  EXPECT_TRUE(unpacks_to(*codec, packed, in)) << "after all that, sound data still unpacks";
}

TEST_P(CodecConformance, SurvivesNoise) {
  constexpr std::size_t kChunk = 8192;
  auto codec = make(kChunk);
  const Bytes in(kChunk, std::byte{1});
  SeededRandom random(17);
  for (int round = 0; round < 3000; ++round) {
    EXPECT_FALSE(
        unpacks_to(*codec, make_pattern(PagePattern::kRandom, random.next(), random.below(kChunk)), in));
  }
  EXPECT_FALSE(unpacks_to(*codec, {}, in)) << "nothing at all";
}

TEST_P(CodecConformance, UnpackerDoesNotPack) {
  auto unpacker = make_unpacker(GetParam().id, 65536);
  ASSERT_TRUE(unpacker);
  EXPECT_TRUE(pack(**unpacker, Bytes(65536), 65536).empty());
}

std::string name_of(const ::testing::TestParamInfo<CodecSpec>& info) {
  const std::int32_t level = info.param.level;
  return std::string(codec_name(info.param.id)) + (level < 0 ? "_minus" : "_") +
         std::to_string(level < 0 ? -level : level);
}

INSTANTIATE_TEST_SUITE_P(All, CodecConformance,
                         ::testing::Values(CodecSpec{CodecId::kStored, 0}, CodecSpec{CodecId::kLzf, 0},
                                           CodecSpec{CodecId::kLz4, 1}, CodecSpec{CodecId::kLz4, 4},
                                           CodecSpec{CodecId::kLz4, 64}, CodecSpec{CodecId::kZstd, -7},
                                           CodecSpec{CodecId::kZstd, -1}, CodecSpec{CodecId::kZstd, 1},
                                           CodecSpec{CodecId::kZstd, 3}, CodecSpec{CodecId::kZstd, 19}),
                         name_of);

}  // namespace
}  // namespace dormouse
