#include "codec/stored_codec.h"

#include <cstring>

#include "codec/unpack_check.h"

namespace dormouse {

std::optional<std::size_t> StoredCodec::pack(std::span<const std::byte>, std::span<std::byte>) {
  return std::nullopt;
}

Result<void> StoredCodec::unpack(std::span<const std::byte> in, std::span<std::byte> out) {
  if (in.size() != out.size()) return wrong_length("unpack stored chunk", in.size(), out.size());
  // memmove, and not for an empty chunk: callers may unpack in place, and null pointers may come with size 0.
  if (!in.empty()) std::memmove(out.data(), in.data(), in.size());
  return {};
}

}  // namespace dormouse
