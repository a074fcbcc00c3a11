#include "bench_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>

#include "dormouse/units.h"

#include "support/page_patterns.h"

namespace dormouse::bench {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::size_t kStandInBytes = std::size_t{128} << 20;

/// Where piece `number` of `count` begins in a file of `size` bytes: the first at its start, the last at its
/// end, each on a page.
std::uint64_t piece_at(std::size_t number, std::size_t count, std::uint64_t size) {
  if (count < 2) return 0;
  return (size - kPieceBytes) * number / (count - 1) / kMinPageBytes * kMinPageBytes;
}

bool read_at(std::ifstream& file, std::uint64_t offset, std::span<std::byte> out) {
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
  return file.good();
}

}  // namespace

std::optional<std::vector<std::byte>> load_data(const std::string& snapshot, std::size_t bytes) {
  if (snapshot.empty()) return test::make_mix(1, bytes > 0 ? bytes : kStandInBytes);
  std::ifstream file(snapshot, std::ios::binary);
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(snapshot, error) / kMinPageBytes * kMinPageBytes;
  if (error || size == 0) {
    fmt::print(stderr, "{}: cannot read a whole page of it\n", snapshot);
    return std::nullopt;
  }
  const std::size_t pieces = bytes / kPieceBytes;
  const bool whole = pieces == 0 || pieces * kPieceBytes >= size;
  std::vector<std::byte> data(whole ? size : pieces * kPieceBytes);
  bool good = true;
  if (whole) good = read_at(file, 0, data);
  for (std::size_t i = 0; !whole && good && i < pieces; ++i) {
    good = read_at(file, piece_at(i, pieces, size), std::span(data).subspan(i * kPieceBytes, kPieceBytes));
  }
  if (good) return data;
  fmt::print(stderr, "{}: cannot read all of it\n", snapshot);
  return std::nullopt;
}

std::string data_name(const std::string& snapshot) {
  return snapshot.empty() ? "the seeded mix" : std::filesystem::path(snapshot).filename().string();
}

}  // namespace dormouse::bench
