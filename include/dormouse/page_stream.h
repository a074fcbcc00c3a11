/// The snapshot image as a stream of pages: opaque, never reordered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dormouse/error.h"

namespace dormouse {

/// Where the pages of a snapshot image come from. One thread at a time. No call allocates.
class PageSource {
 public:
  virtual ~PageSource() = default;
  [[nodiscard]] virtual std::uint32_t page_bytes() const = 0;
  /// Pages in the whole stream, known before the first is read.
  [[nodiscard]] virtual std::uint64_t total_pages() const = 0;
  /// Fills `out` with as many whole pages as remain and returns the bytes written: `out.size()`, or less only
  /// where the stream ends (0 once it has ended). A torn page is an error. Requires: out.size() is a positive
  /// multiple of page_bytes(), `out` is aligned to kMinPageBytes.
  virtual Result<std::size_t> read(std::span<std::byte> out) = 0;
};

/// Where the pages of a snapshot image go. One thread at a time. No call allocates.
class PageSink {
 public:
  virtual ~PageSink() = default;
  /// Takes all of `pages` (a multiple of the page size) or fails.
  virtual Result<void> write(std::span<const std::byte> pages) = 0;
  /// Says that the stream is complete; on the kernel's side this is the extra write of kernel-facts A.5.
  virtual Result<void> finish() = 0;
};

}  // namespace dormouse
