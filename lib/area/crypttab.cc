#include "area/crypttab.h"

#include <algorithm>
#include <array>

#include "area/name_text.h"
#include "kernel/text_file.h"

namespace dormouse {
namespace {

std::string_view next_word(std::string_view& line) {
  line = trimmed(line);
  const auto word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

}  // namespace

std::optional<std::string> crypttab_key(std::string_view crypttab, std::string_view name) {
  while (!crypttab.empty()) {
    auto line = crypttab.substr(0, crypttab.find('\n'));
    crypttab.remove_prefix(std::min(crypttab.size(), line.size() + 1));
    const auto target = next_word(line);
    if (target.empty() || target.starts_with('#') || undo_escapes(target) != name) continue;
    next_word(line);  // what it lies on
    return std::string(next_word(line));
  }
  return std::nullopt;
}

bool is_random_key(std::string_view key) {
  constexpr std::array<std::string_view, 4> kRandom = {"/dev/urandom", "/dev/random", "/dev/hwrng",
                                                       "/dev/hw_random"};
  return std::ranges::find(kRandom, key) != kRandom.end();
}

}  // namespace dormouse
