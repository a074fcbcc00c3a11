/// Bytes as hexadecimal digits.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace dormouse {

/// Lower case.
[[nodiscard]] std::string to_hex(std::span<const std::byte> bytes);

/// True where `text` is exactly two lower-case digits for each byte of `bytes`, which then holds them.
bool from_hex(std::string_view text, std::span<std::byte> bytes);

}  // namespace dormouse
