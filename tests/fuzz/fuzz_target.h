/// What all fuzz targets share. A target is one file with LLVMFuzzerTestOneInput in it; it ends the process
/// where a promise of the library is broken, and returns whatever the input was otherwise.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace dormouse::test {

/// A promise that must hold for every input.
inline void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

inline std::span<const std::byte> input_bytes(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

/// `input`, cut or filled up with zeros to `bytes`: files of the corpus leave out the zeros at the end.
inline std::vector<std::byte> padded(std::span<const std::byte> input, std::size_t bytes) {
  std::vector<std::byte> page(bytes);
  std::ranges::copy(input.first(std::min(bytes, input.size())), page.begin());
  return page;
}

}  // namespace dormouse::test
