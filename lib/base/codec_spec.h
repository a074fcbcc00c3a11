/// Which levels each codec has. One table for the parser of options and for the factory, so they never
/// disagree.
#pragma once

#include <cstdint>

#include "dormouse/codec.h"
#include "dormouse/error.h"

namespace dormouse {

/// Levels of a codec, 0 meaning "has none". Where `lowest` < 0 the level 0 lies inside the range and is not
/// valid.
struct CodecLevels {
  std::int32_t lowest = 0;
  std::int32_t highest = 0;
  std::int32_t standard = 0;
  [[nodiscard]] constexpr bool contains(std::int32_t level) const {
    if (level < lowest || level > highest) return false;
    return level != 0 || highest == 0;
  }
};

[[nodiscard]] CodecLevels codec_levels(CodecId id);

/// As --compress takes it: "lz4", "zstd:-1"; the level is left out where it is the usual one, but for zstd.
[[nodiscard]] InlineText<40> codec_text(const CodecSpec& spec);

/// kUsage where the id is not known or the level not one of the codec's.
Result<void> check_codec(CodecSpec spec);

}  // namespace dormouse
