#include "codec/codec_ladder.h"

#include <gtest/gtest.h>

#include "base/codec_spec.h"

namespace dormouse {
namespace {

TEST(CodecLadder, StartsWithStoringAndGetsStronger) {
  const auto ladder = codec_ladder();
  EXPECT_EQ(ladder[0].codec.id, CodecId::kStored);
  EXPECT_EQ(ladder[0].ratio, 1.0);
  for (std::size_t i = 1; i < ladder.size(); ++i) EXPECT_LT(ladder[i].ratio, ladder[i - 1].ratio);
}

TEST(CodecLadder, ItsCodecsExist) {
  for (const CodecRung& rung : codec_ladder()) EXPECT_TRUE(check_codec(rung.codec));
}

TEST(CodecLadder, EveryRungIsItsOwn) {
  const auto ladder = codec_ladder();
  for (std::size_t i = 0; i < ladder.size(); ++i) EXPECT_EQ(rung_of(ladder[i].codec), i);
}

TEST(CodecLadder, CodecsBetweenTwoRungsCountAsTheLower) {
  EXPECT_EQ(rung_of({.id = CodecId::kLzf, .level = 0}), 2U);
  EXPECT_EQ(rung_of({.id = CodecId::kLz4, .level = 4}), 1U);
  EXPECT_EQ(rung_of({.id = CodecId::kLz4, .level = 64}), 0U);
  EXPECT_EQ(rung_of({.id = CodecId::kZstd, .level = -7}), 2U);
  EXPECT_EQ(rung_of({.id = CodecId::kZstd, .level = 2}), 4U);
  EXPECT_EQ(rung_of({.id = CodecId::kZstd, .level = 19}), codec_ladder().size() - 1);
}

}  // namespace
}  // namespace dormouse
