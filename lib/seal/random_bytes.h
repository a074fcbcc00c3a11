/// The kernel's random numbers.
#pragma once

#include <cstddef>
#include <span>

#include "dormouse/error.h"

namespace dormouse {

/// Fills `target`, straight from getrandom(2): no generator of our own that a snapshot could hold. Allocates
/// nothing.
Result<void> fill_random(std::span<std::byte> target);

}  // namespace dormouse
