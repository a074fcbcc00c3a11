/// XXH3 as the format uses it. FORMAT.md, "Checksums".
#pragma once

// The state lives inside its owner, so that nothing is allocated after the snapshot.
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace dormouse {

inline std::uint64_t xxh3(std::span<const std::byte> data) {
  return XXH3_64bits(data.data(), data.size());
}

/// Sixteen bytes: XXH3-128 in canonical (big-endian) form.
using Digest = std::array<std::byte, 16>;

/// A running XXH3-128, for the closing record. Allocates nothing.
class DigestState {
 public:
  DigestState() { XXH3_128bits_reset(&state_); }
  void update(std::span<const std::byte> data) { XXH3_128bits_update(&state_, data.data(), data.size()); }
  [[nodiscard]] Digest value() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state_));
    Digest digest;
    for (std::size_t i = 0; i < digest.size(); ++i) digest[i] = std::byte{canonical.digest[i]};
    return digest;
  }

 private:
  XXH3_state_t state_;
};

}  // namespace dormouse
