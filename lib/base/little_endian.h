/// Little-endian integers for on-disk records: alignment 1, so structs of them have no padding.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace dormouse {

template <std::unsigned_integral T>
class LittleEndian {
 public:
  constexpr LittleEndian() = default;
  constexpr LittleEndian(T value) {  // NOLINT(google-explicit-constructor): reads and writes like the integer
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes_[i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
  constexpr operator T() const {  // NOLINT(google-explicit-constructor)
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) value |= std::uint64_t{bytes_[i]} << (8 * i);
    return static_cast<T>(value);
  }

 private:
  std::array<std::uint8_t, sizeof(T)> bytes_{};
};

using Le16 = LittleEndian<std::uint16_t>;
using Le32 = LittleEndian<std::uint32_t>;
using Le64 = LittleEndian<std::uint64_t>;
static_assert(sizeof(Le64) == 8 && alignof(Le64) == 1);

}  // namespace dormouse
