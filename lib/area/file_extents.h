/// Where a file lies, as its file system tells (FS_IOC_FIEMAP).
#pragma once

#include "dormouse/error.h"

#include "area/file_layout.h"
#include "area/probed_file.h"

namespace dormouse {

/// Asks as often as it takes: one answer holds a part of the extents. What has not been written out is,
/// first.
Result<FileLayout> read_file_layout(const ProbedFile& file);

}  // namespace dormouse
