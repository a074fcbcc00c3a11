/// Authenticated encryption, as chunks, the image header and the key slots use it. FORMAT.md, "Sealed
/// images".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "dormouse/error.h"
#include "dormouse/sealing.h"

namespace dormouse {

using Nonce = std::array<std::byte, 12>;
using Tag = std::array<std::byte, 16>;

/// What a data key seals. A number never comes twice under one key: it is that of a chunk, or 0.
enum class NonceUse : std::uint32_t { kChunk = 0, kHeader = 1 };

/// 4 bytes of use and 8 of number, little-endian.
Nonce make_nonce(NonceUse use, std::uint64_t number);

/// One cipher context of libgcrypt, in its locked memory. One thread. Only prepare() allocates; errors of the
/// other calls are kIo ("seal", "open") and do not come unless the library is broken, but for kCorrupt.
class Aead {
 public:
  static Result<Aead> prepare(Cipher cipher);
  Aead(Aead&&) noexcept;
  Aead& operator=(Aead&&) noexcept;
  ~Aead();  ///< wipes

  Result<void> set_key(std::span<const std::byte, kKeyBytes> key);
  /// `sealed` has the length of `plain`, and is the same memory or other. Both may be empty.
  Result<void> seal(const Nonce& nonce, std::span<const std::byte> associated,
                    std::span<const std::byte> plain, std::span<std::byte> sealed, Tag& tag);
  /// kCorrupt where the tag does not match; `plain` is zero then.
  Result<void> open(const Nonce& nonce, std::span<const std::byte> associated,
                    std::span<const std::byte> sealed, std::span<std::byte> plain, const Tag& tag);
  /// Overwrites the key.
  void forget();
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  struct Context;
  explicit Aead(std::unique_ptr<Context> context);
  Result<void> try_out();
  std::unique_ptr<Context> context_;
};

}  // namespace dormouse
