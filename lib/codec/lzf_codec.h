/// LZF, by liblzf: what uswsusp used first, small and quick.
#pragma once

#include "dormouse/codec.h"

namespace dormouse {

/// Needs no memory of its own: liblzf keeps its table, half a MiB at most, on the caller's stack, which must
/// have been touched before the snapshot (PreparedThread does so).
class LzfCodec final : public Codec {
 public:
  enum class Use : std::uint8_t { kBoth, kUnpackOnly };
  explicit LzfCodec(Use use) : use_(use) {}

  [[nodiscard]] CodecSpec spec() const override { return {.id = CodecId::kLzf, .level = 0}; }
  [[nodiscard]] std::size_t memory_bytes() const override { return 0; }
  std::optional<std::size_t> pack(std::span<const std::byte> in, std::span<std::byte> out) override;
  Result<void> unpack(std::span<const std::byte> in, std::span<std::byte> out) override;

 private:
  Use use_;
};

}  // namespace dormouse
