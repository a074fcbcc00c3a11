#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "dormouse/codec.h"

namespace dormouse {
namespace {

using ::testing::HasSubstr;

TEST(ParseCodec, ReadsNamesAndLevels) {
  const std::vector<std::pair<std::string, CodecSpec>> cases = {
      {"auto", {CodecId::kLz4, 1}},      {"none", {CodecId::kStored, 0}},  {"lzf", {CodecId::kLzf, 0}},
      {"lz4", {CodecId::kLz4, 1}},       {"LZ4", {CodecId::kLz4, 1}},      {"lz4:4", {CodecId::kLz4, 4}},
      {"lz4:64", {CodecId::kLz4, 64}},   {"zstd", {CodecId::kZstd, 1}},    {"Zstd:-1", {CodecId::kZstd, -1}},
      {"zstd:-7", {CodecId::kZstd, -7}}, {"zstd:+3", {CodecId::kZstd, 3}}, {"zstd:19", {CodecId::kZstd, 19}},
  };
  for (const auto& [text, expected] : cases) {
    const auto spec = parse_codec(text);
    ASSERT_TRUE(spec) << text << ": " << spec.error().what();
    EXPECT_EQ(*spec, expected) << text;
  }
}

TEST(ParseCodec, RefusesTheRestAndListsWhatThereIs) {
  for (const std::string text : {"",
                                 "lz",
                                 "lz44",
                                 "lzo",
                                 "gzip",
                                 "lz4:",
                                 "lz4:0",
                                 "lz4:65",
                                 "lz4:-1",
                                 "lz4:x",
                                 "lz4:1 ",
                                 " lz4",
                                 "zstd:0",
                                 "zstd:-8",
                                 "zstd:20",
                                 "zstd:3.5",
                                 "zstd:99999999999",
                                 "lzf:1",
                                 "none:0",
                                 "auto:3",
                                 "zstd:3:4",
                                 "stored"}) {
    const auto spec = parse_codec(text);
    ASSERT_FALSE(spec) << text;
    EXPECT_EQ(spec.error().code, Errc::kUsage) << text;
    EXPECT_THAT(spec.error().what(), HasSubstr("none, lzf, lz4[:1..64], zstd[:-7..-1 or 1..19]")) << text;
  }
}

TEST(CodecName, GoesBackAndForth) {
  for (const CodecId id : {CodecId::kStored, CodecId::kLzf, CodecId::kLz4, CodecId::kZstd}) {
    const auto spec = parse_codec(codec_name(id));
    ASSERT_TRUE(spec);
    EXPECT_EQ(spec->id, id);
  }
}

TEST(KnownCodecs, AreTheFourOnDisk) {
  for (unsigned id = 0; id < 256; ++id)
    EXPECT_EQ(is_known_codec(static_cast<std::uint8_t>(id)), id < 4) << id;
}

TEST(MakeCodec, RefusesWhatItCannotMake) {
  const std::vector<std::tuple<CodecSpec, std::size_t>> cases = {
      {{CodecId::kLz4, 0}, 65536},    {{CodecId::kLz4, 65}, 65536},          {{CodecId::kZstd, 0}, 65536},
      {{CodecId::kZstd, 20}, 65536},  {{CodecId::kZstd, -8}, 65536},         {{CodecId::kLzf, 1}, 65536},
      {{CodecId::kStored, 1}, 65536}, {{static_cast<CodecId>(9), 0}, 65536}, {{CodecId::kLz4, 1}, 0},
      {{CodecId::kZstd, 1}, 4194305},
  };
  for (const auto& [spec, chunk_bytes] : cases) {
    const auto codec = make_codec(spec, chunk_bytes);
    ASSERT_FALSE(codec) << codec_name(spec.id) << ' ' << spec.level << ' ' << chunk_bytes;
    EXPECT_EQ(codec.error().code, Errc::kUsage);
  }
  EXPECT_FALSE(make_unpacker(static_cast<CodecId>(4), 65536));
  EXPECT_FALSE(make_unpacker(CodecId::kLz4, 0));
}

}  // namespace
}  // namespace dormouse
