/// /etc/crypttab, as far as it tells whether an encrypted device is the same at the next boot.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dormouse {

/// The third word of the line about `name`: a file, "none" or "-"; empty where the line has none. nullopt
/// where no line is about it.
[[nodiscard]] std::optional<std::string> crypttab_key(std::string_view crypttab, std::string_view name);

/// Is what this file gives another key each time?
[[nodiscard]] bool is_random_key(std::string_view key);

}  // namespace dormouse
