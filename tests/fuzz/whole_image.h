/// What the targets for whole images have in common: find the mark, read the image, hold the reader to its
/// promises.
#pragma once

#include <optional>

#include "dormouse/swap_area.h"

#include "io/memory_block_device.h"

namespace dormouse::test {

/// The area whose header is page `header_page` of the disk, in pages of any size that a header may have.
std::optional<SwapArea> find_area(MemoryBlockDevice& disk, std::uint64_t header_page);

/// Reads the image that the mark of the area leads to, if it has one.
void read_whole_image(MemoryBlockDevice& disk, const SwapArea& area);

}  // namespace dormouse::test
