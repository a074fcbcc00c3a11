/// A disk with a swap area on it, made byte by byte as mkswap(8) makes one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "dormouse/swap_area.h"
#include "dormouse/units.h"

#include "io/memory_block_device.h"

namespace dormouse::test {

struct SwapShape {
  std::uint32_t page_bytes = kMinPageBytes;
  std::uint32_t last_page = 255;              ///< counted from the header page
  std::vector<std::uint32_t> bad_pages = {};  ///< written as given
  std::uint64_t header_page = 0;              ///< on the device
  std::uint64_t spare_pages = 0;              ///< of the device, behind the area
};

/// Little-endian integer of `size` bytes.
inline void put_integer(std::span<std::byte> out, std::size_t at, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out[at + i] = static_cast<std::byte>(value >> (8 * i));
}

inline std::uint64_t get_integer(std::span<const std::byte> in, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value |= std::to_integer<std::uint64_t>(in[at + i]) << (8 * i);
  return value;
}

inline void put_text_at(std::span<std::byte> out, std::size_t at, std::string_view text) {
  std::memcpy(out.data() + at, text.data(), text.size());
}

/// The header page. Boot bits, UUID and label are filled, so that a test sees whether they survive.
inline std::vector<std::byte> make_swap_page(const SwapShape& shape) {
  std::vector<std::byte> page(shape.page_bytes);
  for (std::size_t i = 8; i < 1024; ++i) page[i] = static_cast<std::byte>(i * 7);
  put_integer(page, 1024, 1, 4);
  put_integer(page, 1028, shape.last_page, 4);
  put_integer(page, 1032, shape.bad_pages.size(), 4);
  for (std::size_t i = 0; i < 16; ++i) page[1036 + i] = static_cast<std::byte>(0xa0 + i);
  put_text_at(page, 1052, "old-swap");
  for (std::size_t i = 0; i < shape.bad_pages.size() && 1536 + 4 * i + 4 <= page.size(); ++i) {
    put_integer(page, 1536 + 4 * i, shape.bad_pages[i], 4);
  }
  put_text_at(page, page.size() - 10, "SWAPSPACE2");
  return page;
}

inline MemoryBlockDevice make_swap_disk(const SwapShape& shape) {
  const std::uint64_t pages = shape.header_page + shape.last_page + 1 + shape.spare_pages;
  MemoryBlockDevice disk(pages * shape.page_bytes, "disk");
  const auto page = make_swap_page(shape);
  std::memcpy(disk.mutable_bytes(shape.header_page * shape.page_bytes, page.size()).data(), page.data(),
              page.size());
  return disk;
}

/// The header page as it lies on the disk now.
inline std::vector<std::byte> swap_page_of(const MemoryBlockDevice& disk, const SwapShape& shape) {
  const auto page = disk.bytes().subspan(shape.header_page * shape.page_bytes, shape.page_bytes);
  return {page.begin(), page.end()};
}

}  // namespace dormouse::test
