/// How much the kernel prints on the console.
#pragma once

#include <optional>
#include <string>

#include "dormouse/error.h"

#include "base/system_calls.h"
#include "kernel/system_paths.h"

namespace dormouse {

/// Sets the first field of /proc/sys/kernel/printk and puts the old one back when destroyed.
class [[nodiscard]] ConsoleLoglevel {
 public:
  /// Requires: 0 <= level <= 15 (kUsage).
  static Result<ConsoleLoglevel> set(int level, const SystemPaths& paths = {},
                                     SystemCalls& calls = real_system_calls());
  ConsoleLoglevel(ConsoleLoglevel&& other) noexcept;
  ConsoleLoglevel& operator=(ConsoleLoglevel&&) = delete;
  ~ConsoleLoglevel();

 private:
  ConsoleLoglevel(std::string file, SystemCalls& calls, std::string before)
      : file_(std::move(file)), calls_(&calls), before_(std::move(before)) {}
  std::string file_;
  SystemCalls* calls_;
  std::optional<std::string> before_;
};

}  // namespace dormouse
