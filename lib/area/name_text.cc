#include "area/name_text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace dormouse {
namespace {

constexpr std::array<std::pair<std::string_view, AreaTag::Kind>, 4> kWords = {{
    {"UUID", AreaTag::Kind::kUuid},
    {"LABEL", AreaTag::Kind::kLabel},
    {"PARTUUID", AreaTag::Kind::kPartUuid},
    {"PARTLABEL", AreaTag::Kind::kPartLabel},
}};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_in_any_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// Exactly `digits`, as a byte that can be part of a name.
std::optional<char> escaped_byte(std::string_view digits, int base) {
  unsigned value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (problem != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  if (value == 0 || value > 0xff) return std::nullopt;
  return static_cast<char>(static_cast<unsigned char>(value));
}

std::string_view without_quotes(std::string_view text) {
  if (text.size() < 2 || text.front() != text.back()) return text;
  if (text.front() != '"' && text.front() != '\'') return text;
  return text.substr(1, text.size() - 2);
}

}  // namespace

std::string undo_escapes(std::string_view text) {
  constexpr std::size_t kLength = 4;  // of either kind
  std::string result;
  while (!text.empty()) {
    std::optional<char> byte;
    if (text.front() == '\\' && text.size() >= kLength) {
      const bool hex = text[1] == 'x';
      byte = hex ? escaped_byte(text.substr(2, 2), 16) : escaped_byte(text.substr(1, 3), 8);
    }
    result += byte.value_or(text.front());
    text.remove_prefix(byte ? kLength : 1);
  }
  return result;
}

bool AreaTag::matches(std::string_view found) const {
  if (found.empty()) return false;
  if (kind == Kind::kUuid || kind == Kind::kPartUuid) return same_in_any_case(value, found);
  return value == found || undo_escapes(value) == found;
}

std::optional<AreaTag> parse_tag(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  for (const auto& [word, kind] : kWords) {
    if (!same_in_any_case(text.substr(0, equals), word)) continue;
    return AreaTag{.kind = kind, .value = std::string(without_quotes(text.substr(equals + 1)))};
  }
  return std::nullopt;
}

std::string_view tag_word(AreaTag::Kind kind) {
  return std::ranges::find(kWords, kind, &decltype(kWords)::value_type::second)->first;
}

std::string host_path(std::string_view path, const SystemPaths& paths) {
  constexpr std::string_view kDev = "/dev/";
  if (path.starts_with(kDev)) return paths.dev + "/" + std::string(path.substr(kDev.size()));
  if (path.starts_with('/')) return paths.root + std::string(path);
  return std::string(path);
}

}  // namespace dormouse
