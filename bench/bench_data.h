/// What the benchmarks write: a snapshot's bytes, or a stand-in.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dormouse::bench {

/// The first `bytes` of `snapshot`, whole pages; where it is empty, the seeded mix of
/// tests/support/page_patterns.h. Nothing, and a line on stderr, where the file has no whole page.
std::optional<std::vector<std::byte>> load_data(const std::string& snapshot, std::size_t bytes);

/// "the seeded mix" or the file's name.
std::string data_name(const std::string& snapshot);

}  // namespace dormouse::bench
