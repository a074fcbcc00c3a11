/// The one table of settings: file, command line, help and printing all go by it.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"

namespace dormouse {

/// What reading a value gave: nothing to say, a note for the user (what dormouse does instead), or what is
/// wrong.
using ReadOutcome = std::expected<std::string, std::string>;

struct KeyInfo {
  Key key;
  std::string_view name;  ///< in the file: "image size"
  std::string_view help;  ///< one line; empty for keys that are only accepted
  ReadOutcome (*read)(std::string_view value, Settings& settings);
  std::optional<std::string> (*print)(const Settings& settings);  ///< nullopt: it has no value
  std::string_view unset = {};                                    ///< what holds where it has none
  /// Set where lines of one source add up; a line of a later source begins anew.
  std::vector<std::string> Settings::* list = nullptr;
};

[[nodiscard]] std::span<const KeyInfo> key_table();
[[nodiscard]] const KeyInfo& key_info(Key key);

/// By name, without regard to case; runs of blanks, '_' and '-' between words are one blank. Null if there is
/// none.
[[nodiscard]] const KeyInfo* find_key(std::string_view name);

/// The name most like `name`, or nothing if none is near.
[[nodiscard]] std::optional<std::string_view> nearest_key(std::string_view name);

/// Reads one value into `settings` and notes its origin. On error `settings` is as it was. A device and its
/// offset are one unit: another device of the same source does not inherit the offset, which the note says.
ReadOutcome assign(const KeyInfo& info, std::string_view value, Origin origin, Settings& settings);

/// Of `words`, the one with the fewest typing slips from `word`; nothing if more than a third of it differs.
[[nodiscard]] std::optional<std::string_view> nearest_word(std::string_view word,
                                                           std::span<const std::string_view> words);

}  // namespace dormouse
