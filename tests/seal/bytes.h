/// Bytes as the texts of standards write them down.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include "seal/hex.h"
#include "support/bytes.h"

namespace dormouse::test {

/// From hexadecimal digits; blanks between them are free.
inline Bytes unhex(std::string_view text) {
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits), [](char c) { return c != ' '; });
  Bytes bytes(digits.size() / 2);
  if (!from_hex(digits, bytes)) throw std::invalid_argument(digits);
  return bytes;
}

template <std::size_t N>
std::array<std::byte, N> unhex_array(std::string_view text) {
  const Bytes bytes = unhex(text);
  std::array<std::byte, N> result{};
  if (bytes.size() != N) throw std::invalid_argument(std::string(text));
  std::ranges::copy(bytes, result.begin());
  return result;
}

}  // namespace dormouse::test
