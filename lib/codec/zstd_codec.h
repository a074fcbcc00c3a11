/// Zstandard frames, by libzstd, in memory that is ours.
#pragma once

#include "dormouse/codec.h"

#include "base/aligned_buffer.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace dormouse {

/// One ordinary zstd frame per chunk, without content size and checksum: the chunk header carries both. The
/// contexts live in workspaces given to libzstd ("static" contexts): it then cannot allocate, and refuses the
/// formats of zstd 0.x, whose decoders would. Parameters are those of the level for a whole chunk; a shorter
/// last chunk is packed with the same ones.
class ZstdCodec final : public Codec {
 public:
  static Result<std::unique_ptr<Codec>> make(std::int32_t level, std::size_t chunk_bytes);
  static Result<std::unique_ptr<Codec>> make_unpacker();

  [[nodiscard]] CodecSpec spec() const override { return {.id = CodecId::kZstd, .level = level_}; }
  [[nodiscard]] std::size_t memory_bytes() const override {
    return packer_memory_.size() + unpacker_memory_.size();
  }
  std::optional<std::size_t> pack(std::span<const std::byte> in, std::span<std::byte> out) override;
  Result<void> unpack(std::span<const std::byte> in, std::span<std::byte> out) override;

 private:
  ZstdCodec() = default;
  Result<void> prepare_packer(std::int32_t level, std::size_t chunk_bytes);
  Result<void> prepare_unpacker();

  std::int32_t level_ = 0;
  AlignedBuffer packer_memory_;
  AlignedBuffer unpacker_memory_;
  ZSTD_CCtx_s* packer_ = nullptr;    // lives in packer_memory_
  ZSTD_DCtx_s* unpacker_ = nullptr;  // lives in unpacker_memory_
};

}  // namespace dormouse
