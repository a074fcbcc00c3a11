/// What was measured, in integers as they are stored on disk.
#pragma once

#include <array>
#include <cstdint>

#include "dormouse/codec.h"

namespace dormouse {

/// How many chunks of an image a codec packed.
struct CodecCount {
  CodecSpec codec{};
  std::uint64_t chunks = 0;
  friend bool operator==(const CodecCount&, const CodecCount&) = default;
};

/// All codecs of one image, weakest first; entries without chunks mean nothing. The chunks are those of the
/// image.
using CodecCounts = std::array<CodecCount, 8>;

/// One direction of the transfer. Durations from CLOCK_MONOTONIC.
struct TransferFigures {
  std::uint64_t duration_ns =
      0;  ///< write: first page taken to flush done; read: first read to last page handed over
  std::uint64_t flush_ns = 0;  ///< the part of duration_ns spent in the last flush; 0 when reading
  std::uint64_t source_wait_ns =
      0;  ///< spent in reading pages from the snapshot (write) or handing them over (read)
  friend bool operator==(const TransferFigures&, const TransferFigures&) = default;
};

/// Sizes of one image.
struct ImageFigures {
  std::uint32_t page_bytes = 0;
  std::uint64_t pages = 0;           ///< page frames in the snapshot image's stream
  std::uint64_t size_cap_bytes = 0;  ///< what was asked of the kernel
  std::uint64_t stored_bytes = 0;    ///< on the device: chunks, swap map and image header, whole pages
  [[nodiscard]] std::uint64_t bytes() const { return pages * page_bytes; }
  friend bool operator==(const ImageFigures&, const ImageFigures&) = default;
};

}  // namespace dormouse
