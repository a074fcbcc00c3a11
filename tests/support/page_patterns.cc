#include "support/page_patterns.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace dormouse::test {
namespace {

constexpr std::size_t kPageBytes = 4096;

/// Appends little pieces to a span and cuts the last one where the span ends.
class Filler {
 public:
  explicit Filler(std::span<std::byte> out) : out_(out) {}
  [[nodiscard]] bool full() const { return out_.empty(); }
  void put(const void* data, std::size_t bytes) {
    const std::size_t taken = std::min(bytes, out_.size());
    if (taken > 0) std::memcpy(out_.data(), data, taken);
    out_ = out_.subspan(taken);
  }
  /// Low `bytes` bytes of `value`, lowest first whatever the machine's byte order.
  void put_integer(std::uint64_t value, std::size_t bytes = 8) {
    std::array<unsigned char, 8> raw{};
    for (std::size_t i = 0; i < raw.size(); ++i) raw[i] = static_cast<unsigned char>(value >> (8 * i));
    put(raw.data(), bytes);
  }

 private:
  std::span<std::byte> out_;
};

/// One in two draws falls in the first tenth of `bound`: a poor man's Zipf law.
std::uint64_t skewed(SeededRandom& random, std::uint64_t bound) {
  std::uint64_t range = bound;
  while (range > 8 && random.below(2) == 0) range /= 4;
  return random.below(range);
}

const std::vector<std::string>& vocabulary() {
  static const std::vector<std::string> words = [] {
    SeededRandom random(2006);
    std::vector<std::string> made(4096);
    for (auto& word : made) {
      const std::uint64_t length = 2 + random.below(8);
      for (std::uint64_t i = 0; i < length; ++i) {
        word += i % 2 == 0 ? "bcdfghklmnprstvw"[random.below(16)] : "aeiou"[random.below(5)];
      }
    }
    return made;
  }();
  return words;
}

void fill_text(SeededRandom& random, Filler out) {
  const auto& words = vocabulary();
  while (!out.full()) {
    const std::string& word = words[skewed(random, words.size())];
    out.put(word.data(), word.size());
    out.put(random.below(12) == 0 ? "\n" : " ", 1);
  }
}

/// What compilers emit again and again: moves, calls, tests, prologues. Each is a few instructions long.
const std::vector<std::string>& code_fragments() {
  static const std::vector<std::string> fragments = [] {
    SeededRandom random(1978);
    std::vector<std::string> made(1024);
    for (auto& fragment : made) {
      const std::uint64_t length = 3 + random.below(14);
      for (std::uint64_t i = 0; i < length; ++i) fragment += static_cast<char>(skewed(random, 256));
    }
    return made;
  }();
  return fragments;
}

void fill_code(SeededRandom& random, Filler out) {
  const auto& fragments = code_fragments();
  while (!out.full()) {
    const std::string& fragment = fragments[skewed(random, fragments.size())];
    out.put(fragment.data(), fragment.size());
    if (random.below(3) == 0) out.put_integer(8 * skewed(random, 32), 1);  // a place on the stack
    if (random.below(6) == 0) out.put_integer(random.below(1 << 20), 4);   // a distance to another function
  }
}

enum class Word : std::uint8_t { kZero, kType, kPointer, kSmall, kHash };

/// Objects of one type lie next to each other, with the same fields in the same places.
void fill_pointers(SeededRandom& random, Filler out) {
  const std::uint64_t heap = 0x7f0000000000 + (random.below(1U << 6) << 24);
  while (!out.full()) {
    std::array<Word, 12> layout{};
    const std::size_t words = 3 + random.below(10);
    for (std::size_t i = 0; i < words; ++i) {
      const std::uint64_t draw = random.below(16);
      layout[i] = draw < 5    ? Word::kZero
                  : draw < 8  ? Word::kType
                  : draw < 11 ? Word::kPointer
                  : draw < 15 ? Word::kSmall
                              : Word::kHash;
    }
    const std::uint64_t type = 0x7f1000000000 + 16 * random.below(1 << 12);
    for (std::uint64_t objects = 1 + random.below(24); objects > 0 && !out.full(); --objects) {
      for (std::size_t i = 0; i < words; ++i) {
        switch (layout[i]) {
          case Word::kZero:
            out.put_integer(0);
            break;
          case Word::kType:
            out.put_integer(type + 8 * i);
            break;
          case Word::kPointer:
            out.put_integer(heap + 16 * random.below(1 << 12));
            break;
          case Word::kSmall:
            out.put_integer(skewed(random, 64));
            break;
          case Word::kHash:
            out.put_integer(random.next());
        }
      }
    }
  }
}

void fill_random(SeededRandom& random, Filler out) {
  while (!out.full()) out.put_integer(random.next());
}

}  // namespace

std::uint64_t SeededRandom::next() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

void fill_pattern(PagePattern pattern, std::uint64_t seed, std::span<std::byte> out) {
  SeededRandom random(seed);
  switch (pattern) {
    case PagePattern::kZero:
      std::ranges::fill(out, std::byte{0});
      return;
    case PagePattern::kText:
      return fill_text(random, Filler(out));
    case PagePattern::kCode:
      return fill_code(random, Filler(out));
    case PagePattern::kPointers:
      return fill_pointers(random, Filler(out));
    case PagePattern::kRandom:
      return fill_random(random, Filler(out));
  }
}

void fill_mix(std::uint64_t seed, std::span<std::byte> out, const PatternShares& shares) {
  const std::array<std::uint32_t, 5> parts = {shares.zero, shares.text, shares.code, shares.pointers,
                                              shares.random};
  std::uint64_t total = 0;
  for (const std::uint32_t part : parts) total += part;
  SeededRandom random(seed);
  while (!out.empty()) {
    std::uint64_t draw = random.below(total);
    std::size_t kind = 0;
    while (draw >= parts[kind]) draw -= parts[kind++];
    for (std::uint64_t run = 1 + random.below(16); run > 0 && !out.empty(); --run) {
      const std::size_t bytes = std::min(kPageBytes, out.size());
      fill_pattern(static_cast<PagePattern>(kind), random.next(), out.first(bytes));
      out = out.subspan(bytes);
    }
  }
}

std::vector<std::byte> make_pattern(PagePattern pattern, std::uint64_t seed, std::size_t bytes) {
  std::vector<std::byte> made(bytes);
  fill_pattern(pattern, seed, made);
  return made;
}

std::vector<std::byte> make_mix(std::uint64_t seed, std::size_t bytes, const PatternShares& shares) {
  std::vector<std::byte> made(bytes);
  fill_mix(seed, made, shares);
  return made;
}

}  // namespace dormouse::test
