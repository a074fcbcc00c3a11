/// Units that live in types. Everything else carries its unit last in its name: chunk_bytes, image_pages.
#pragma once

#include <cstdint>

namespace dormouse {

/// A place on a block device: bytes from its start. Two offsets do not add up; an offset and a length do.
enum class DeviceOffset : std::uint64_t {};

constexpr std::uint64_t to_bytes(DeviceOffset offset) {
  return static_cast<std::uint64_t>(offset);
}
constexpr DeviceOffset operator+(DeviceOffset offset, std::uint64_t length_bytes) {
  return DeviceOffset{to_bytes(offset) + length_bytes};
}

/// One contiguous range of pages on the block device (not within the swap file): [first_page, first_page +
/// pages).
struct Extent {
  std::uint64_t first_page = 0;
  std::uint64_t pages = 0;
  [[nodiscard]] constexpr std::uint64_t end_page() const { return first_page + pages; }
  friend constexpr bool operator==(const Extent&, const Extent&) = default;
};

/// A range of bytes on a block device.
struct ByteRange {
  DeviceOffset start{};
  std::uint64_t length = 0;
  friend constexpr bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// Bytes of `pages` pages at the start of the device: the page index of an extent becomes its offset.
constexpr DeviceOffset page_offset(std::uint64_t page, std::uint32_t page_bytes) {
  return DeviceOffset{page * page_bytes};
}

/// x / y rounded up; y > 0.
constexpr std::uint64_t divide_up(std::uint64_t x, std::uint64_t y) {
  return x / y + (x % y != 0 ? 1 : 0);
}

/// Smallest page Linux has; direct I/O buffers and record limits are built on it.
inline constexpr std::uint32_t kMinPageBytes = 4096;
inline constexpr std::uint32_t kMaxPageBytes = 65536;

}  // namespace dormouse
