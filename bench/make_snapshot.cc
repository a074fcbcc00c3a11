/// Writes a seeded stand-in for a machine's snapshot stream, for `s2disk --from` and the benchmarks.
///
///     make_snapshot [--mib N] [--seed N] [--zero N] [--text N] [--code N] [--heap N] [--random N] FILE
///
/// The last five are shares in any unit; by default they pack about as a desktop's memory does. Same options,
/// same bytes.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "dormouse/units.h"

#include "arguments.h"
#include "support/page_patterns.h"

namespace {

using namespace dormouse;

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
/// Where the kernel's header page says how many pages there are (image pages, all pages, bytes).
constexpr std::size_t kCountsOffset = 416;

struct Options {
  std::uint64_t mib = 256;
  std::uint64_t seed = 1;
  test::PatternShares shares{};
  std::string file;
};

bool take(Options& options, std::string_view name, const std::string& value) {
  if (name == "--mib") return bench::take_number(options.mib, value);
  if (name == "--seed") return bench::take_number(options.seed, value);
  if (name == "--zero") return bench::take_number(options.shares.zero, value);
  if (name == "--text") return bench::take_number(options.shares.text, value);
  if (name == "--code") return bench::take_number(options.shares.code, value);
  if (name == "--heap") return bench::take_number(options.shares.pointers, value);
  if (name == "--random") return bench::take_number(options.shares.random, value);
  return false;
}

bool parse(std::span<char*> args, Options& options) {
  const bool good = bench::walk_arguments(
      args, [&](std::string_view name, const std::string& value) { return take(options, name, value); },
      options.file);
  const auto& s = options.shares;
  return good && !options.file.empty() && options.mib > 0 &&
         s.zero + s.text + s.code + s.pointers + s.random > 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse({argv, static_cast<std::size_t>(argc)}, options)) {
    fmt::print(
        stderr,
        "usage: make_snapshot [--mib N] [--seed N] [--zero|--text|--code|--heap|--random SHARE]... FILE\n");
    return 2;
  }
  std::ofstream file(options.file, std::ios::binary);
  std::vector<std::byte> piece(kPieceBytes);
  for (std::uint64_t i = 0; i < options.mib && file; ++i) {
    test::fill_mix(options.seed * 1'000'003 + i, piece, options.shares);
    if (i == 0) {
      const std::uint64_t pages = options.mib * (kPieceBytes / kMinPageBytes);
      const std::uint64_t counts[] = {pages - 2, pages, pages * kMinPageBytes};
      std::memset(piece.data(), 0, kMinPageBytes);
      std::memcpy(piece.data() + kCountsOffset, counts, sizeof counts);
    }
    file.write(reinterpret_cast<const char*>(piece.data()), static_cast<std::streamsize>(piece.size()));
  }
  file.close();
  if (file) return 0;
  std::perror(options.file.c_str());
  return 1;
}
