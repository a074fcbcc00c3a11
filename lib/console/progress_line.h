/// One line of progress, as text: no terminal, no clock.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace dormouse {

struct ProgressFigures {
  std::string_view phase;
  std::uint64_t done_bytes = 0;
  std::uint64_t total_bytes = 0;
  std::uint64_t elapsed_ns = 0;
  [[nodiscard]] bool complete() const { return done_bytes >= total_bytes; }
  /// 0..100, rounded down; 100 only when complete.
  [[nodiscard]] unsigned percent() const;
};

using ProgressText = std::array<char, 256>;

/// "\rwrite  43 % [=====>      ] 109.2/254.0 MB   48.8 MB/s 0:03 left": one column short of `columns`, so
/// that no terminal wraps it, padded with blanks over what stood there. On a narrow terminal it leaves out,
/// in this order: sizes, rate, bar, time. ASCII alone, no escape sequences: it may be a serial line.
/// Allocates nothing.
std::string_view format_bar(ProgressText& out, const ProgressFigures& figures, unsigned columns);

/// "write: 40 % (101.6 of 254.0 MB), 48.8 MB/s, 0:03 left\n". Allocates nothing.
std::string_view format_plain(ProgressText& out, const ProgressFigures& figures);

}  // namespace dormouse
