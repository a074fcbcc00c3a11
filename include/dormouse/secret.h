/// Memory for what nobody else may see: passphrases and keys.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "dormouse/error.h"

namespace dormouse {

/// Bytes in pages of their own that are locked (never swapped out), left out of core dumps, not inherited by
/// a child process, and overwritten when the owner goes or says so. Zero when made. Move-only. Allocates
/// nothing after allocate().
class Secret {
 public:
  Secret() = default;
  /// kNoMemory, also where RLIMIT_MEMLOCK forbids to lock so much. Requires: bytes > 0.
  static Result<Secret> allocate(std::size_t bytes);

  Secret(Secret&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        mapped_bytes_(std::exchange(other.mapped_bytes_, 0)) {}
  Secret& operator=(Secret&& other) noexcept;
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  ~Secret() { release(); }

  [[nodiscard]] std::span<std::byte> span() { return {data_, size_}; }
  [[nodiscard]] std::span<const std::byte> span() const { return {data_, size_}; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// Keeps the first `bytes` and overwrites the rest. Requires: bytes <= size().
  void shrink(std::size_t bytes);
  /// Overwrites all of it with zeros, in a way that the compiler does not drop; the size stays.
  void wipe();

 private:
  void release();
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t mapped_bytes_ = 0;
};

}  // namespace dormouse
