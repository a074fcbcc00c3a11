/// LZ4 blocks, by liblz4.
#pragma once

#include "dormouse/codec.h"

#include "base/aligned_buffer.h"

namespace dormouse {

/// Raw LZ4 blocks (no frame): the chunk header already carries lengths and checksum. `level` is liblz4's
/// acceleration. Owns the 16 KiB match table; an unpacker owns nothing.
class Lz4Codec final : public Codec {
 public:
  static Result<std::unique_ptr<Codec>> make(std::int32_t acceleration);
  static std::unique_ptr<Codec> make_unpacker();

  [[nodiscard]] CodecSpec spec() const override { return {.id = CodecId::kLz4, .level = acceleration_}; }
  [[nodiscard]] std::size_t memory_bytes() const override { return state_.size(); }
  std::optional<std::size_t> pack(std::span<const std::byte> in, std::span<std::byte> out) override;
  Result<void> unpack(std::span<const std::byte> in, std::span<std::byte> out) override;

 private:
  Lz4Codec(std::int32_t acceleration, AlignedBuffer state)
      : acceleration_(acceleration), state_(std::move(state)) {}

  std::int32_t acceleration_;
  AlignedBuffer state_;
};

}  // namespace dormouse
