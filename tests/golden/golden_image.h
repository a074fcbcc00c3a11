/// The images that tests/golden holds and FORMAT.md takes apart: small, with fixed id and time, and keys
/// where they are sealed.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "image/reference_seal.h"
#include "io/memory_block_device.h"

namespace dormouse::test {

/// Eight pages: two of noise, and six of text that packs into a page for every two.
std::vector<std::byte> golden_stream();

/// The marked swap area with that stream in it, one chunk of each codec, by the reference writer.
MemoryBlockDevice make_golden_area();

/// With a way of each kind: a passphrase, a key pair, a key file.
ReferenceSealing golden_sealing();
/// Names and hexadecimal digits of what section 13.2 of FORMAT.md shows: keys, and what is made with them.
std::vector<std::pair<std::string, std::string>> golden_key_texts();
/// The same area with the image sealed.
MemoryBlockDevice make_sealed_golden_area();

}  // namespace dormouse::test
