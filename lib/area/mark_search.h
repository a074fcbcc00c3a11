/// Where is an image, if nobody says?
#pragma once

#include <cstdint>

#include "dormouse/error.h"

#include "area/target_area.h"
#include "kernel/host.h"

namespace dormouse {

/// Looks at the first page of every block device on a fixed disk for the mark of a saved image. kUsage where
/// several carry it, kNoImage where none does; devices that cannot be read are skipped and named, and then
/// the error has an errno.
Result<AreaSearch> find_marked_area(const Host& host);

/// Is there a swap area without any mark? False also where it cannot be read. `page_bytes`: unit of the
/// header's place, 0: this kernel's.
[[nodiscard]] bool is_plain_swap(const TargetArea& target, std::uint32_t page_bytes, const Host& host);

}  // namespace dormouse
