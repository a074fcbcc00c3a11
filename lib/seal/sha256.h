/// A running SHA-256 (FIPS 180-4), for the swap map of a sealed image.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "dormouse/error.h"

namespace dormouse {

using Sha256Digest = std::array<std::byte, 32>;

struct DigestHandle;

/// One thread; only prepare() allocates.
class Sha256 {
 public:
  static Result<Sha256> prepare();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();
  void reset();
  void update(std::span<const std::byte> data);
  /// Of all since reset(), which is then due.
  [[nodiscard]] Sha256Digest value();

 private:
  explicit Sha256(std::unique_ptr<DigestHandle> digest);
  std::unique_ptr<DigestHandle> digest_;
};

}  // namespace dormouse
