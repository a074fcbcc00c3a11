/// The kernel's command line, as far as hibernation goes (kernel-facts D.4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dormouse {

struct KernelLine {
  std::string resume;                          ///< value of the last resume=; empty: none
  std::optional<std::uint64_t> resume_offset;  ///< pages
  bool noresume = false;                       ///< noresume, hibernate=noresume: no attempt by itself
  bool nohibernate = false;                    ///< nohibernate, hibernate=no...: all off
  /// What is said but cannot be understood: "resume_offset=12x".
  std::string unreadable;
};

/// Quotes are honoured as the kernel does; later words win.
[[nodiscard]] KernelLine parse_kernel_line(std::string_view text);

}  // namespace dormouse
