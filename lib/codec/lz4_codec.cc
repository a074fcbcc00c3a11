#include "codec/lz4_codec.h"

#include <lz4.h>

#include <limits>

#include "codec/unpack_check.h"

namespace dormouse {
namespace {

constexpr std::string_view kUnpack = "unpack lz4 chunk";

bool fits(std::size_t bytes) {
  return bytes <= static_cast<std::size_t>(std::numeric_limits<int>::max());
}

const char* chars(std::span<const std::byte> bytes) {
  return reinterpret_cast<const char*>(bytes.data());
}
char* chars(std::span<std::byte> bytes) {
  return reinterpret_cast<char*>(bytes.data());
}

}  // namespace

Result<std::unique_ptr<Codec>> Lz4Codec::make(std::int32_t acceleration) {
  auto state = AlignedBuffer::allocate(static_cast<std::size_t>(LZ4_sizeofState()));
  if (!state) return std::unexpected(state.error());
  return std::unique_ptr<Codec>(new Lz4Codec(acceleration, std::move(*state)));
}

std::unique_ptr<Codec> Lz4Codec::make_unpacker() {
  return std::unique_ptr<Codec>(new Lz4Codec(0, AlignedBuffer()));
}

std::optional<std::size_t> Lz4Codec::pack(std::span<const std::byte> in, std::span<std::byte> out) {
  if (state_.size() == 0 || in.empty() || out.empty() || !fits(in.size()) || !fits(out.size()))
    return std::nullopt;
  const int packed =
      LZ4_compress_fast_extState(state_.data(), chars(in), chars(out), static_cast<int>(in.size()),
                                 static_cast<int>(out.size()), acceleration_);
  if (packed <= 0) return std::nullopt;
  return static_cast<std::size_t>(packed);
}

Result<void> Lz4Codec::unpack(std::span<const std::byte> in, std::span<std::byte> out) {
  if (in.empty() || !fits(in.size()) || !fits(out.size())) return damaged(kUnpack, in.size());
  const int got =
      LZ4_decompress_safe(chars(in), chars(out), static_cast<int>(in.size()), static_cast<int>(out.size()));
  if (got < 0) return damaged(kUnpack, in.size());
  if (static_cast<std::size_t>(got) != out.size()) {
    return wrong_length(kUnpack, static_cast<std::size_t>(got), out.size());
  }
  return {};
}

}  // namespace dormouse
