/// One worker's codecs, and what they make of a chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dormouse/codec.h"
#include "dormouse/error.h"
#include "dormouse/image_options.h"

#include "image/chunk_memory.h"

namespace dormouse {

/// One thread. Only prepare() allocates.
class ChunkPacker {
 public:
  /// The one codec of the options, or all rungs of the ladder where each chunk gets its own.
  static Result<ChunkPacker> prepare(const ImageOptions& options, std::uint32_t page_bytes);

  /// Fills in codec, lengths and checksums of the chunk's header, `stored` and `codec_at`. `rung`: of the
  /// ladder; not looked at where there is one codec only. A chunk that does not shrink by a page is stored as
  /// it is.
  void pack(ChunkSlot& chunk, std::size_t rung);

  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  explicit ChunkPacker(std::uint32_t page_bytes) : page_bytes_(page_bytes) {}

  std::uint32_t page_bytes_;
  std::vector<std::unique_ptr<Codec>> codecs_;
};

}  // namespace dormouse
