/// The copy of a report in a file.
#pragma once

#include <string>
#include <string_view>

#include "dormouse/error.h"

namespace dormouse {

/// Replaces the file `path` by `text`: a reader, and whoever comes after a power cut, finds the old file or
/// the new one, whole. A symbolic link to a file is followed. A character device or a FIFO that somebody
/// reads is written to instead; anything else that is not a regular file is refused (kUsage). Errors name the
/// step and the path. Writes to a mounted file system: never call it between snapshot and thaw.
Result<void> write_report_file(const std::string& path, std::string_view text);

}  // namespace dormouse
