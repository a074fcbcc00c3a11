/// Where is an image, if nobody says?
#pragma once

#include "dormouse/error.h"

#include "area/target_area.h"
#include "kernel/host.h"

namespace dormouse {

/// Looks at the first page of every block device on a fixed disk for the mark of a saved image. kUsage where
/// several carry it, kNoImage where none does; devices that cannot be read are skipped and named, and then
/// the error has an errno.
Result<AreaSearch> find_marked_area(const Host& host);

}  // namespace dormouse
