/// The tables of FORMAT.md, read from the text itself: a field that is added there is damaged here.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "format/record_damage.h"

namespace dormouse::test {

/// The fields of fixed place and size in the first table under the heading that begins with `heading`
/// ("### 7.1 Chunk header"), as they lie where the page size is `page_bytes`. Rows for what repeats ("8
/// each") or has no fixed length are left out. Throws std::runtime_error if there is no such table.
std::vector<Field> format_fields(std::string_view heading, std::uint32_t page_bytes);

}  // namespace dormouse::test
