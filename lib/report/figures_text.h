/// What the renderers share: numbers that are finite whatever was measured.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dormouse/figures.h"
#include "dormouse/image_options.h"

namespace dormouse {

constexpr double seconds(std::uint64_t ns) {
  return static_cast<double>(ns) / 1e9;
}

/// 0 where no time passed: neither JSON nor a person can do anything with an infinity.
constexpr double bytes_per_second(std::uint64_t bytes, std::uint64_t ns) {
  return ns == 0 ? 0 : static_cast<double>(bytes) / seconds(ns);
}

constexpr std::string_view io_name(IoMode io) {
  return io == IoMode::kDirect ? "direct" : "buffered";
}

/// "none 12, lz4 830, zstd:3 4": codecs as --compress takes them, and their chunks; empty where none are
/// counted.
std::string codec_counts_text(const CodecCounts& counts);

}  // namespace dormouse
