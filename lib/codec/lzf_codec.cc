#include "codec/lzf_codec.h"

#include <lzf.h>

#include <limits>

#include "codec/unpack_check.h"

namespace dormouse {
namespace {

constexpr std::string_view kUnpack = "unpack lzf chunk";

bool fits(std::size_t bytes) {
  return bytes <= std::numeric_limits<unsigned>::max();
}

}  // namespace

std::optional<std::size_t> LzfCodec::pack(std::span<const std::byte> in, std::span<std::byte> out) {
  if (use_ == Use::kUnpackOnly) return std::nullopt;
  if (in.empty() || out.empty() || !fits(in.size()) || !fits(out.size())) return std::nullopt;
  const unsigned packed = lzf_compress(in.data(), static_cast<unsigned>(in.size()), out.data(),
                                       static_cast<unsigned>(out.size()));
  if (packed == 0) return std::nullopt;
  return packed;
}

Result<void> LzfCodec::unpack(std::span<const std::byte> in, std::span<std::byte> out) {
  // liblzf reads the first byte before it looks at the length.
  if (in.empty() || out.empty() || !fits(in.size()) || !fits(out.size())) return damaged(kUnpack, in.size());
  const unsigned got = lzf_decompress(in.data(), static_cast<unsigned>(in.size()), out.data(),
                                      static_cast<unsigned>(out.size()));
  if (got == 0) return damaged(kUnpack, in.size());
  if (got != out.size()) return wrong_length(kUnpack, got, out.size());
  return {};
}

}  // namespace dormouse
