/// Damages one field of an encoded record in every way that a field can be wrong.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "support/page_patterns.h"
#include "swap/swap_disk.h"

namespace dormouse::test {

/// A field of a record: where it lies and how long it is.
struct Field {
  std::string name;
  std::size_t at;
  std::size_t size;
};

/// One way for a field to be wrong: what then stands in it.
struct FieldDamage {
  std::string what;
  std::vector<std::byte> bytes;
};

/// Every way that changes `field` of `record`: each of its bits flipped (of long fields the first, the last
/// and a seeded sample), all zero, all ones, one more and one less, and what stands in front of it and behind
/// it.
inline std::vector<FieldDamage> field_damages(std::span<const std::byte> record, const Field& field) {
  constexpr std::size_t kLong = 16;
  constexpr unsigned kSample = 62;
  const auto now = record.subspan(field.at, field.size);
  std::vector<FieldDamage> damages;
  const auto add = [&](const std::string& what, std::vector<std::byte> bytes) {
    if (!std::ranges::equal(bytes, now)) damages.push_back({field.name + ": " + what, std::move(bytes)});
  };
  const auto flip = [&](std::size_t bit) {
    std::vector<std::byte> bytes(now.begin(), now.end());
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    add("bit " + std::to_string(bit) + " flipped", std::move(bytes));
  };
  const std::size_t bits = 8 * field.size;
  if (field.size <= kLong) {
    for (std::size_t bit = 0; bit < bits; ++bit) flip(bit);
  } else {
    flip(0);
    flip(bits - 1);
    SeededRandom random(field.at + 1);
    for (unsigned i = 0; i < kSample; ++i) flip(random.below(bits));
  }
  add("zero", std::vector<std::byte>(field.size));
  add("all ones", std::vector<std::byte>(field.size, std::byte{0xff}));
  if (field.size <= 8) {
    const std::uint64_t value = get_integer(record, field.at, field.size);
    for (const bool more : {true, false}) {
      std::vector<std::byte> bytes(field.size);
      put_integer(bytes, 0, more ? value + 1 : value - 1, field.size);
      add(more ? "one more" : "one less", std::move(bytes));
    }
  }
  const auto copy = [&](const char* what, std::size_t from) {
    const auto other = record.subspan(from, field.size);
    add(what, {other.begin(), other.end()});
  };
  if (field.at >= field.size) copy("copied from the field before", field.at - field.size);
  if (field.at + 2 * field.size <= record.size()) copy("copied from the field behind", field.at + field.size);
  return damages;
}

/// Calls `each(what, damaged)` with a copy of `record` for every way of damaging `field`.
inline void for_each_damage(std::span<const std::byte> record, const Field& field,
                            const std::function<void(const std::string&, std::span<std::byte>)>& each) {
  for (const FieldDamage& damage : field_damages(record, field)) {
    std::vector<std::byte> copy(record.begin(), record.end());
    std::ranges::copy(damage.bytes, copy.begin() + static_cast<std::ptrdiff_t>(field.at));
    each(damage.what, copy);
  }
}

}  // namespace dormouse::test
