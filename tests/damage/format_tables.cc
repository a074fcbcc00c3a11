#include "damage/format_tables.h"

#include <array>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>

namespace dormouse::test {
namespace {

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

std::optional<std::size_t> to_number(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::stoul(text);
}

/// "1024", or "`P` - 28" from the end of the page.
std::optional<std::size_t> to_place(const std::string& text, std::uint32_t page_bytes) {
  constexpr std::string_view kFromEnd = "`P` - ";
  if (!text.starts_with(kFromEnd)) return to_number(text);
  const auto back = to_number(text.substr(kFromEnd.size()));
  if (!back) return std::nullopt;
  return page_bytes - *back;
}

/// "`pages`", "`extent_count`, 1 or more", "type: 1", "reserved".
std::string to_name(const std::string& text) {
  if (text.starts_with('`')) return text.substr(1, text.find('`', 1) - 1);
  return text.substr(0, text.find_first_of(":, "));
}

std::optional<Field> to_field(std::string_view row, std::uint32_t page_bytes) {
  std::array<std::string, 3> cells;
  row.remove_prefix(1);
  for (std::string& cell : cells) {
    const std::size_t end = std::min(row.find('|'), row.size());
    cell = trimmed(row.substr(0, end));
    row.remove_prefix(std::min(end + 1, row.size()));
  }
  const auto at = to_place(cells[0], page_bytes);
  const auto size = to_number(cells[1]);
  if (!at || !size) return std::nullopt;
  return Field{.name = to_name(cells[2]), .at = *at, .size = *size};
}

}  // namespace

std::vector<Field> format_fields(std::string_view heading, std::uint32_t page_bytes) {
  std::ifstream file(std::string{DORMOUSE_FORMAT_MD});
  std::vector<Field> fields;
  bool under_heading = false;
  bool in_table = false;
  for (std::string line; std::getline(file, line);) {
    if (!under_heading) {
      under_heading = line.starts_with(heading);
      continue;
    }
    const bool row = line.starts_with('|');
    if (in_table && !row) break;
    in_table = row;
    if (!row) continue;
    if (auto field = to_field(line, page_bytes)) fields.push_back(std::move(*field));
  }
  if (fields.empty()) throw std::runtime_error("FORMAT.md has no table under " + std::string(heading));
  return fields;
}

}  // namespace dormouse::test
