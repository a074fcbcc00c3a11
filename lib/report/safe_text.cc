#include "report/safe_text.h"

#include <cstddef>
#include <cstdint>

namespace dormouse {
namespace {

/// Length of the well-formed UTF-8 sequence of a printable character at the start of `text`, or 0. Table 3-7
/// of the Unicode standard, by value: no overlong forms, no surrogates, nothing above U+10FFFF.
std::size_t printable_length(std::string_view text) {
  const auto lead = static_cast<std::uint8_t>(text[0]);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7f ? 1 : 0;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  std::uint32_t value = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    if ((byte & 0xc0) != 0x80) return 0;
    value = value << 6 | (byte & 0x3fU);
  }
  constexpr std::uint32_t kSmallest[] = {0xa0, 0x800, 0x10000};  // 0x80..0x9f are control characters
  if (value < kSmallest[length - 2] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return 0;
  return length;
}

}  // namespace

std::string safe_text(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const auto length = printable_length(text);
    safe += length == 0 ? std::string_view("?") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return safe;
}

}  // namespace dormouse
