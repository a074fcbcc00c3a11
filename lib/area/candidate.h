/// Which of the active swap areas an image may go to when none is named.
#pragma once

#include <cstdint>
#include <vector>

#include "area/area_resolver.h"
#include "area/target_area.h"
#include "kernel/active_swaps.h"
#include "kernel/host.h"

namespace dormouse {

struct Candidate {
  TargetArea target = {};
  std::uint64_t free_bytes = 0;
  bool told = false;  ///< resume= of the kernel command line leads to it
};

struct Candidates {
  std::vector<Candidate> usable = {};        ///< in the order of `swaps`
  std::vector<PassedOver> passed_over = {};  ///< the others, in the same order
};

/// Looks at every area and reads its header. What cannot be learned speaks against an area, and never for
/// another: while one may be encrypted, none in the clear is usable but for a sealed image.
Candidates sort_candidates(const std::vector<ActiveSwap>& swaps, const SearchOptions& options,
                           const Host& host);

}  // namespace dormouse
