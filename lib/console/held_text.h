/// Text held back until somebody can read it, in a fixed amount of memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "dormouse/error.h"

#include "base/aligned_buffer.h"

namespace dormouse {

/// A queue of bytes that keeps the first and the last when there are too many: how it began and how it ended
/// is what explains a failure. In between stands a line that says how much is missing. Allocates only when
/// made.
///     [ first: linear | "[... 123 bytes left out ...]" | last: ring ]
class HeldText {
 public:
  HeldText() = default;
  /// Half of `capacity_bytes` for the first, half for the last. Requires: capacity_bytes >= 2.
  static Result<HeldText> allocate(std::size_t capacity_bytes);

  /// Takes all of `text`; never fails.
  void append(std::string_view text);
  [[nodiscard]] bool empty() const;
  /// Oldest bytes, contiguous; empty only if there are none. Valid until the next call that is not const.
  [[nodiscard]] std::string_view front();
  /// Requires: bytes <= front().size().
  void pop(std::size_t bytes);
  /// Bytes lost since it was last empty.
  [[nodiscard]] std::uint64_t dropped_bytes() const { return dropped_; }

 private:
  void append_last(std::string_view text);
  void write_notice();

  AlignedBuffer memory_;
  std::span<std::byte> first_;
  std::span<std::byte> last_;
  std::size_t first_begin_ = 0;
  std::size_t first_end_ = 0;
  std::size_t last_begin_ = 0;
  std::size_t last_size_ = 0;
  std::uint64_t dropped_ = 0;
  InlineText<64> notice_;
  std::size_t notice_begin_ = 0;
  std::uint64_t noticed_ = 0;  ///< of dropped_, said in a notice
};

}  // namespace dormouse
