/// Packing and unpacking of chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dormouse/error.h"

namespace dormouse {

/// Values are part of the on-disk format (FORMAT.md, "Chunk header"); never reuse one.
enum class CodecId : std::uint8_t { kStored = 0, kLzf = 1, kLz4 = 2, kZstd = 3 };

/// A codec with its level. `level` means: lz4: acceleration, 1..64 (default 1); zstd: -7..19 without 0
/// (default 1); others: 0.
struct CodecSpec {
  CodecId id = CodecId::kLz4;
  std::int32_t level = 1;
  friend bool operator==(const CodecSpec&, const CodecSpec&) = default;
};

/// One worker's packer and unpacker, with all the memory it needs allocated and touched when it was made:
/// pack() and unpack() allocate nothing. One thread at a time.
class Codec {
 public:
  virtual ~Codec() = default;
  [[nodiscard]] virtual CodecSpec spec() const = 0;
  /// What it holds beside its own few bytes, for the stated memory.
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;
  /// Packed size, or nullopt if `out` is too small: the caller then stores the chunk as it is.
  virtual std::optional<std::size_t> pack(std::span<const std::byte> in, std::span<std::byte> out) = 0;
  /// Fills `out` completely or fails with kCorrupt. `in` is untrusted.
  virtual Result<void> unpack(std::span<const std::byte> in, std::span<std::byte> out) = 0;
};

/// Makes a codec for chunks of at most `chunk_bytes`. kUsage for a level out of range, kNoMemory.
/// For CodecId::kStored pack() always returns nullopt and unpack() copies.
Result<std::unique_ptr<Codec>> make_codec(CodecSpec spec, std::size_t chunk_bytes);

/// A codec that only unpacks: pack() returns nullopt, and the memory for packing is not there. Level as in
/// spec(): 0.
Result<std::unique_ptr<Codec>> make_unpacker(CodecId id, std::size_t chunk_bytes);

/// "none", "lzf", "lz4", "zstd".
[[nodiscard]] std::string_view codec_name(CodecId id);

/// Reads "lz4", "zstd:-1", "none" ... kUsage names what was wrong and lists what
/// there is.
Result<CodecSpec> parse_codec(std::string_view text);

/// True for the values of CodecId that this build can unpack.
[[nodiscard]] bool is_known_codec(std::uint8_t id);

}  // namespace dormouse
