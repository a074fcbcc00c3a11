/// Small files of /proc and /sys.
#pragma once

#include <string>
#include <string_view>

#include "dormouse/error.h"

#include "base/system_calls.h"

namespace dormouse {

/// The whole file, at most 1 MiB.
Result<std::string> read_text_file(const std::string& path, SystemCalls& calls = real_system_calls());

/// Writes `text` in one call, as the kernel's files want it. The file must exist.
Result<void> write_text_file(const std::string& path, std::string_view text,
                             SystemCalls& calls = real_system_calls());

/// Without white space at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

}  // namespace dormouse
