/// Seeded pages of stated kinds, for tests and benchmarks: the same seed gives the same bytes everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dormouse::test {

/// SplitMix64: small, quick, the same on every machine (std's distributions are not).
class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// 0 .. bound-1; the tiny bias does not matter here. Requires: bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

enum class PagePattern : std::uint8_t {
  kZero,
  kText,      ///< words of a small vocabulary, the frequent ones far more often
  kCode,      ///< machine code: few opcodes, many short constants
  kPointers,  ///< heap: pointers into a few regions, small integers, nulls
  kRandom,    ///< what is packed or encrypted already
};

/// Fills `out` (any length) with one kind.
void fill_pattern(PagePattern pattern, std::uint64_t seed, std::span<std::byte> out);

/// Parts of a mix, in any unit; only their proportions count. The default packs about as well as a real
/// desktop snapshot with 8 % zero pages: in chunks of 256 KiB LZ4 to 0.51, zstd 1 to 0.37, in whole pages.
struct PatternShares {
  std::uint32_t zero = 8;
  std::uint32_t text = 24;
  std::uint32_t code = 14;
  std::uint32_t pointers = 46;
  std::uint32_t random = 8;
};

/// Fills `out` with pages of all kinds in these shares. Neighbours are often of one kind, as in memory: the
/// kind changes after runs of 1 to 16 pages. Requires: a share above 0.
void fill_mix(std::uint64_t seed, std::span<std::byte> out, const PatternShares& shares = {});

/// The same, as a value.
std::vector<std::byte> make_pattern(PagePattern pattern, std::uint64_t seed, std::size_t bytes);
std::vector<std::byte> make_mix(std::uint64_t seed, std::size_t bytes, const PatternShares& shares = {});

}  // namespace dormouse::test
