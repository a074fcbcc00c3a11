/// The pages of all images in the corpora.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "swap/swap_disk.h"

namespace dormouse::test {

/// Pages that are all zeros but for eight bytes each, so that a whole disk folds into few bytes.
inline std::vector<std::byte> faint_pages(std::size_t pages, std::size_t page_bytes) {
  std::vector<std::byte> image(pages * page_bytes);
  for (std::size_t i = 0; i < pages; ++i) put_integer(image, i * page_bytes, 0x0101010101010101 * (i + 1), 8);
  return image;
}

}  // namespace dormouse::test
