/// From what the user named to the area that is meant.
#pragma once

#include <cstdint>
#include <vector>

#include "dormouse/error.h"

#include "area/area_resolver.h"
#include "area/target_area.h"
#include "kernel/active_swaps.h"
#include "kernel/host.h"

namespace dormouse {

enum class AreaUse : std::uint8_t {
  kSave,    ///< an offset that leads past the active swap file is refused
  kResume,  ///< it is only reported: an image may lie where the file was
};

/// Waits as long as options.wait for what is not there. A swap file becomes device and offset; in file mode,
/// unless it is swapped on, it is the area itself. `swaps`: the active areas.
Result<AreaSearch> find_named_area(const NamedArea& named, AreaUse use, const SearchOptions& options,
                                   const std::vector<ActiveSwap>& swaps, const Host& host);

}  // namespace dormouse
