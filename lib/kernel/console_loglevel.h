/// How much the kernel prints on the console.
#pragma once

#include <optional>
#include <string>

#include "dormouse/error.h"

#include "kernel/system_paths.h"

namespace dormouse {

/// Sets the first field of /proc/sys/kernel/printk and puts the old one back when destroyed.
class [[nodiscard]] ConsoleLoglevel {
 public:
  /// Requires: 0 <= level <= 15 (kUsage).
  static Result<ConsoleLoglevel> set(int level, const SystemPaths& paths = {});
  ConsoleLoglevel(ConsoleLoglevel&& other) noexcept;
  ConsoleLoglevel& operator=(ConsoleLoglevel&&) = delete;
  ~ConsoleLoglevel();

 private:
  ConsoleLoglevel(std::string file, std::string before)
      : file_(std::move(file)), before_(std::move(before)) {}
  std::string file_;
  std::optional<std::string> before_;
};

}  // namespace dormouse
