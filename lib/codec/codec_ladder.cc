#include "codec/codec_ladder.h"

#include <array>

namespace dormouse {
namespace {

constexpr std::array kLadder = std::to_array<CodecRung>({
    {.codec = {.id = CodecId::kStored, .level = 0}, .ratio = 1.0, .pack_rate = 6000},
    {.codec = {.id = CodecId::kLz4, .level = 8}, .ratio = 0.53, .pack_rate = 1050},
    {.codec = {.id = CodecId::kLz4, .level = 1}, .ratio = 0.46, .pack_rate = 800},
    {.codec = {.id = CodecId::kZstd, .level = -1}, .ratio = 0.40, .pack_rate = 640},
    {.codec = {.id = CodecId::kZstd, .level = 1}, .ratio = 0.365, .pack_rate = 530},
    {.codec = {.id = CodecId::kZstd, .level = 3}, .ratio = 0.34, .pack_rate = 280},
    {.codec = {.id = CodecId::kZstd, .level = 6}, .ratio = 0.32, .pack_rate = 130},
    {.codec = {.id = CodecId::kZstd, .level = 9}, .ratio = 0.31, .pack_rate = 70},
});

// LZ4's level is an acceleration: the higher, the weaker. LZF packs about as well as plain LZ4.
bool no_better(const CodecSpec& rung, const CodecSpec& codec) {
  if (rung.id == CodecId::kStored) return true;
  if (codec.id == CodecId::kZstd) return rung.id == CodecId::kLz4 || rung.level <= codec.level;
  if (rung.id != CodecId::kLz4) return false;
  return codec.id == CodecId::kLzf || (codec.id == CodecId::kLz4 && rung.level >= codec.level);
}

}  // namespace

std::span<const CodecRung> codec_ladder() {
  return kLadder;
}

std::size_t rung_of(const CodecSpec& codec) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < kLadder.size(); ++i) {
    if (no_better(kLadder[i].codec, codec)) best = i;
  }
  return best;
}

}  // namespace dormouse
