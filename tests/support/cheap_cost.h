/// What Argon2id costs where a test pays for it.
#pragma once

#include "dormouse/sealing.h"

namespace dormouse::test {

/// The least that the format allows: can be paid by the thousand.
inline constexpr PassphraseCost kCheap{.memory_kib = kMinCostMemoryKib, .passes = 1, .lanes = 1};

}  // namespace dormouse::test
