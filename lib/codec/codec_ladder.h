/// Codecs from the weakest to the strongest, and what remains of a machine's memory with each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dormouse/codec.h"

namespace dormouse {

struct CodecRung {
  CodecSpec codec{};
  double ratio = 1.0;    ///< stored by unpacked bytes of a desktop's memory, in chunks of 256 KiB
  double pack_rate = 0;  ///< MB/s of one thread; what matters is how the rungs compare
};

/// Each packs better and slower than the one before; the first stores. Above zstd 9 time grows out of all
/// proportion. Source of the ratios: design section 7, and bench/README.md, "Codecs".
[[nodiscard]] std::span<const CodecRung> codec_ladder();

/// The highest rung that packs no better than `codec` does.
[[nodiscard]] std::size_t rung_of(const CodecSpec& codec);

}  // namespace dormouse
