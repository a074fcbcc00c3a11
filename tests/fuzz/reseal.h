/// Makes the checksums of an image fit whatever its records hold: what a hostile image does, and what lets a
/// fuzzer get past them.
#pragma once

#include "dormouse/units.h"

#include "io/memory_block_device.h"

namespace dormouse::test {

/// Follows the image as far as it makes any sense and mends all checksums and digests on the way. Damage is
/// left alone.
void reseal_image(MemoryBlockDevice& disk, DeviceOffset header_at);

}  // namespace dormouse::test
