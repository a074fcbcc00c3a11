/// One worker's codecs and its cipher, and what they make of a chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dormouse/codec.h"
#include "dormouse/error.h"
#include "dormouse/image_options.h"
#include "dormouse/sealing.h"

#include "format/image_header.h"
#include "image/chunk_memory.h"
#include "seal/aead.h"

namespace dormouse {

/// One thread. Only prepare() allocates.
class ChunkPacker {
 public:
  /// The one codec of the options, or all rungs of the ladder where each chunk gets its own. `cipher`: of a
  /// sealed image.
  static Result<ChunkPacker> prepare(const ImageOptions& options, std::uint32_t page_bytes,
                                     std::optional<Cipher> cipher);

  /// What a sealed image is sealed with from now on. Requires: prepared with a cipher.
  Result<void> use_key(std::span<const std::byte, kKeyBytes> key, const ImageId& id);
  /// Overwrites the key.
  void forget_key();
  [[nodiscard]] Aead& aead() { return *aead_; }

  /// Fills in codec, lengths and checksums or tag of the chunk's header, `stored` and `codec_at`. `rung`: of
  /// the ladder; not looked at where there is one codec only. A chunk that does not shrink by a page is
  /// stored as it is. Sealing overwrites the pages that it came as.
  Result<void> pack(ChunkSlot& chunk, std::size_t rung);

  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  explicit ChunkPacker(std::uint32_t page_bytes) : page_bytes_(page_bytes) {}

  std::span<std::byte> compress(ChunkSlot& chunk, std::size_t rung);

  std::uint32_t page_bytes_;
  std::vector<std::unique_ptr<Codec>> codecs_;
  std::optional<Aead> aead_;  // of a sealed image
  ImageId id_{};
};

}  // namespace dormouse
