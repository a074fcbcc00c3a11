/// Settings of the whole system that s2disk changes for as long as it works.
#pragma once

#include <optional>
#include <string>

#include "dormouse/error.h"

#include "base/system_calls.h"
#include "kernel/system_paths.h"

namespace dormouse {

/// Knows what a file of /proc or /sys said, and writes that back when destroyed, or by put_back(), which can
/// tell. Example:
///     auto image_size = keep_image_size(host.paths, host.calls);
///     ... SNAPSHOT_PREF_IMAGE_SIZE ...
///     if (const auto trouble = image_size->put_back()) warn(*trouble);
class [[nodiscard]] KeptSetting {
 public:
  /// Requires: `before` is the file's first word, all that is ever written to it.
  KeptSetting(std::string file, std::string before, SystemCalls& calls)
      : file_(std::move(file)), before_(std::move(before)), calls_(&calls) {}
  KeptSetting(KeptSetting&& other) noexcept;
  KeptSetting& operator=(KeptSetting&&) = delete;
  ~KeptSetting();

  /// Tries twice, and looks whether it is needed at all before it complains. Otherwise a sentence with what
  /// the setting was, what it is now, and the command that mends it. Does nothing a second time.
  std::optional<std::string> put_back();

 private:
  std::string file_;
  std::optional<std::string> before_;  // nullopt once put back
  SystemCalls* calls_;
};

/// /sys/power/image_size, which SNAPSHOT_PREF_IMAGE_SIZE sets for the whole system and for good.
Result<KeptSetting> keep_image_size(const SystemPaths& paths = {}, SystemCalls& calls = real_system_calls());

/// Sets the console's log level, the first number of /proc/sys/kernel/printk. Requires: 0 <= level <= 15
/// (kUsage).
Result<KeptSetting> set_console_loglevel(int level, const SystemPaths& paths = {},
                                         SystemCalls& calls = real_system_calls());

}  // namespace dormouse
