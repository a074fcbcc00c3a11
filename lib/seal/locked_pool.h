/// Where libgcrypt's contexts and intermediate results live.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "dormouse/error.h"
#include "dormouse/secret.h"

#include "base/private_memory.h"

namespace dormouse {

/// An allocator over locked pages. Everything is overwritten when it is given back. Large pieces (the memory
/// of Argon2id) get pages of their own, which go back to the system at once, and are locked only as far as
/// RLIMIT_MEMLOCK allows. Any thread.
///
/// Which units are taken is noted outside the pages, so that a child process, which sees zeros there, can
/// still make contexts of its own.
class LockedPool {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
  /// From here on a piece gets pages of its own.
  static constexpr std::size_t kLargeBytes = kBlockBytes / 2;

  LockedPool() = default;
  LockedPool(const LockedPool&) = delete;
  LockedPool& operator=(const LockedPool&) = delete;
  ~LockedPool();

  /// Null where there is no memory, or none may be locked. Aligned to 64 bytes.
  void* allocate(std::size_t bytes) noexcept;
  /// False: not from here, and nothing was done.
  bool release(void* piece) noexcept;
  /// How long the piece is that `inside` points into; 0 where it is not from here.
  [[nodiscard]] std::size_t piece_bytes(const void* inside) const noexcept;
  /// Sees to it that so much can be allocated without locking further pages. Requires: less than kLargeBytes.
  Result<void> reserve(std::size_t bytes) noexcept;

 private:
  static constexpr std::size_t kUnitBytes = 64;
  static constexpr std::size_t kUnits = kBlockBytes / kUnitBytes;
  static constexpr std::uint16_t kFree = 0;
  static constexpr std::uint16_t kInside = 0xffff;

  struct Block {
    Secret memory;
    /// For each unit kFree, kInside, or, where a piece begins, its length in units.
    std::vector<std::uint16_t> units;
  };
  /// A unit of a block.
  struct Place {
    std::size_t block = 0;
    std::size_t unit = 0;
  };

  Result<void> grow();
  [[nodiscard]] std::optional<Place> find_room(std::size_t units) const;
  [[nodiscard]] std::optional<Place> place_of(const void* piece) const;
  void* allocate_large(std::size_t bytes);
  bool release_large(const void* piece);

  mutable std::mutex mutex_;
  std::vector<Block> blocks_;
  std::vector<PrivatePages> large_;
};

}  // namespace dormouse
