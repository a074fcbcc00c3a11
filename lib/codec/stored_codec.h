/// Chunks left as they are.
#pragma once

#include "dormouse/codec.h"

namespace dormouse {

/// Never packs, so that its caller stores every chunk; unpacks by copying.
class StoredCodec final : public Codec {
 public:
  [[nodiscard]] CodecSpec spec() const override { return {.id = CodecId::kStored, .level = 0}; }
  [[nodiscard]] std::size_t memory_bytes() const override { return 0; }
  std::optional<std::size_t> pack(std::span<const std::byte> in, std::span<std::byte> out) override;
  Result<void> unpack(std::span<const std::byte> in, std::span<std::byte> out) override;
};

}  // namespace dormouse
