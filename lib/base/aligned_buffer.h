/// Memory for direct I/O that is there when it is needed.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "dormouse/error.h"

namespace dormouse {

/// Anonymous memory, aligned to a page, zeroed, every page of it touched when made: later use faults nothing
/// in. Move-only; freed with its owner.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  /// kNoMemory names the bytes asked for. Requires: bytes > 0.
  static Result<AlignedBuffer> allocate(std::size_t bytes);

  AlignedBuffer(AlignedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept;
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;
  ~AlignedBuffer() { release(); }

  [[nodiscard]] std::byte* data() { return data_; }
  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<std::byte> span() { return {data_, size_}; }
  [[nodiscard]] std::span<const std::byte> span() const { return {data_, size_}; }

 private:
  AlignedBuffer(std::byte* data, std::size_t size) : data_(data), size_(size) {}
  void release();

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace dormouse
