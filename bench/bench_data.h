/// What the benchmarks write: a snapshot's bytes, or a stand-in.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dormouse::bench {

/// `bytes` of `snapshot`, whole pages, in pieces that are spread evenly over all of it: memory is not the
/// same everywhere. All of it where it is no longer than that, or where `bytes` is 0. Where `snapshot` is
/// empty, the seeded mix of tests/support/page_patterns.h. Nothing, and a line on stderr, where the file has
/// no whole page.
std::optional<std::vector<std::byte>> load_data(const std::string& snapshot, std::size_t bytes);

/// "the seeded mix" or the file's name without its directories.
std::string data_name(const std::string& snapshot);

}  // namespace dormouse::bench
