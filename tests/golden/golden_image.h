/// The image that tests/golden/plain-v1.swap holds and FORMAT.md takes apart: small, with fixed id and time.
#pragma once

#include <cstddef>
#include <vector>

#include "io/memory_block_device.h"

namespace dormouse::test {

/// Eight pages: two of noise, and six of text that packs into a page for every two.
std::vector<std::byte> golden_stream();

/// The marked swap area with that stream in it, one chunk of each codec, by the reference writer.
MemoryBlockDevice make_golden_area();

}  // namespace dormouse::test
