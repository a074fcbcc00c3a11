/// Machines, areas and settings that the stories are played with.
#pragma once

#include <vector>

#include "crash/stories.h"

namespace dormouse::test {

/// A few dozen writes, one map page: for the many variants of a story.
Shape small_shape();

/// Every codec, chunks from one to 32 pages, one swap map page and several, extents that spill over them,
/// 4 and 16 KiB pages, slots in use by others, a swap file in the midst of its device.
std::vector<Shape> suspend_shapes();

/// The same in file mode: bad pages in place of slots in use.
std::vector<Shape> store_shapes();

}  // namespace dormouse::test
