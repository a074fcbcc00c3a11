/// What the reference writer and the reference reader have in common: how bytes are summed and authenticated.
#pragma once

#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "support/bytes.h"
#include "swap/swap_disk.h"

namespace dormouse::test {

inline std::uint64_t hash64(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

inline Bytes hash128(std::span<const std::byte> bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  Bytes digest(16);
  std::memcpy(digest.data(), canonical.digest, 16);
  return digest;
}

inline void append(Bytes& to, std::span<const std::byte> more) {
  to.insert(to.end(), more.begin(), more.end());
}
/// What is authenticated with a chunk.
inline Bytes chunk_data(std::span<const std::byte> image_id, std::span<const std::byte> header) {
  Bytes data(image_id.begin(), image_id.end());
  append(data, header.first(32));
  put_integer(data, 18, 0, 2);
  return data;
}

/// What is authenticated as the header: without its tag and its checksum.
inline Bytes header_data(std::span<const std::byte> header) {
  Bytes data(header.begin(), header.begin() + 3584);
  std::fill_n(data.begin() + 576, 16, std::byte{0});
  put_integer(data, 3576, 0, 8);
  return data;
}

}  // namespace dormouse::test
