/// Damages one field of an encoded record in every way that a field can be wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "swap/swap_disk.h"

namespace dormouse::test {

/// A field of a record: where it lies and how long it is.
struct Field {
  std::string_view name;
  std::size_t at;
  std::size_t size;
};

/// Calls `each(what, damaged)` with a copy of `record` for every way of damaging `field` that changes it:
/// each of its bits flipped (of long fields: one bit a byte), all zero, all ones, one more and one less.
inline void for_each_damage(std::span<const std::byte> record, const Field& field,
                            const std::function<void(const std::string&, std::span<std::byte>)>& each) {
  const auto try_with = [&](const std::string& what,
                            const std::function<void(std::span<std::byte>)>& change) {
    std::vector<std::byte> copy(record.begin(), record.end());
    change(std::span(copy).subspan(field.at, field.size));
    if (std::ranges::equal(copy, record)) return;
    each(std::string(field.name) + ": " + what, copy);
  };
  for (std::size_t i = 0; i < field.size; ++i) {
    for (unsigned bit = field.size > 8 ? i % 8 : 0; bit < 8; bit += field.size > 8 ? 8 : 1) {
      try_with("bit " + std::to_string(8 * i + bit) + " flipped",
               [&](auto f) { f[i] ^= std::byte{1} << bit; });
    }
  }
  try_with("zero", [](auto f) { std::ranges::fill(f, std::byte{0}); });
  try_with("all ones", [](auto f) { std::ranges::fill(f, std::byte{0xff}); });
  if (field.size <= 8) {
    const std::uint64_t value = get_integer(record, field.at, field.size);
    try_with("one more", [&](auto f) { put_integer(f, 0, value + 1, field.size); });
    try_with("one less", [&](auto f) { put_integer(f, 0, value - 1, field.size); });
  }
}

}  // namespace dormouse::test
