#include "bench_data.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "dormouse/units.h"

#include "support/page_patterns.h"

namespace dormouse::bench {

std::optional<std::vector<std::byte>> load_data(const std::string& snapshot, std::size_t bytes) {
  if (snapshot.empty()) return test::make_mix(1, bytes);
  std::ifstream file(snapshot, std::ios::binary);
  std::vector<std::byte> data(bytes);
  file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()));
  data.resize(static_cast<std::size_t>(file.gcount()) / kMinPageBytes * kMinPageBytes);
  if (!data.empty()) return data;
  fmt::print(stderr, "{}: cannot read a whole page\n", snapshot);
  return std::nullopt;
}

std::string data_name(const std::string& snapshot) {
  return snapshot.empty() ? "the seeded mix" : snapshot;
}

}  // namespace dormouse::bench
