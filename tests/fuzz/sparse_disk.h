/// A whole disk in few bytes, so that a fuzzer changes records and not the zeros between them.
///
///     byte 0: the page of the swap header, 0 to 3; byte 1: the size of the disk, 4 to 259 times 4096 bytes
///     then any number of: offset on the disk, 4 bytes; length, 2 bytes; that many bytes (all little-endian)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/memory_block_device.h"

namespace dormouse::test {

struct SparseDisk {
  std::uint64_t header_page;  ///< in pages of the area
  MemoryBlockDevice disk;
};

/// Every input gives a disk; what would lie outside of it is left out.
SparseDisk unfold_disk(std::span<const std::byte> input);

/// The input that gives this disk. Requires: a size of 4 to 259 times 4096 bytes.
std::vector<std::byte> fold_disk(const MemoryBlockDevice& disk, std::uint64_t header_page);

}  // namespace dormouse::test
