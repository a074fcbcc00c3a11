/// How an image is written, as plain values.
#pragma once

#include <cstdint>

#include "dormouse/codec.h"

namespace dormouse {

/// When to begin pushing the image towards the medium: each time `millionths` of it have been produced; 0 is
/// off, one flush at the end. 1 % is 10'000. Source: the 2006 benchmark of "writeout in 1% intervals instead
/// of 20%".
struct EarlyWriteout {
  static constexpr std::uint32_t kWhole = 1'000'000;
  std::uint32_t millionths = 10'000;
  [[nodiscard]] constexpr bool off() const { return millionths == 0; }
  [[nodiscard]] constexpr double percent() const { return millionths / 10'000.0; }
  friend bool operator==(const EarlyWriteout&, const EarlyWriteout&) = default;
};

enum class IoMode : std::uint8_t {
  kDirect,    ///< O_DIRECT: past the page cache
  kBuffered,  ///< through the page cache; with early writeout off this is the plain case of the 2006 test
};

/// Bytes of page data packed, checked and placed as one. Chosen by measurement: bench/README.md, "Chunk
/// size".
inline constexpr std::uint32_t kDefaultChunkBytes = 256 * 1024;

struct ImageOptions {
  bool adaptive = false;  ///< a codec for each chunk, by how busy the device is; `codec` is
                          ///< not looked at
  CodecSpec codec{};      ///< what every chunk that shrinks is packed with
  std::uint32_t chunk_bytes = kDefaultChunkBytes;  ///< a multiple of the page size, at most kMaxChunkBytes
  unsigned threads = 1;                            ///< workers that pack, 1..kMaxThreads
  EarlyWriteout early_writeout{};
  IoMode io = IoMode::kDirect;   ///< only noted in the image header; the device decides
  bool foresee_shortage = true;  ///< fail with kNoSpace as soon as what was stored tells that the rest will
                                 ///< not fit; false: try to the end
};

inline constexpr std::uint32_t kMaxChunkBytes = 4 * 1024 * 1024;
inline constexpr unsigned kMaxThreads = 64;

}  // namespace dormouse
