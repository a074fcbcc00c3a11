/// The configuration file, in the syntax of uswsusp's suspend.conf.
///
///     # comment                       at the start of a line or after a blank
///     resume device = /dev/sda2       or with ':'; keys ignore case; blanks around everything are dropped
///     report file = "/var/log/a b"    quoted where blanks at the ends or " #" belong to the value; a doubled
///                                     quote in between is the quote itself
///
/// Line ends may be LF or CRLF, a byte-order mark is skipped, the last line needs no end. Values are read
/// whole. An unknown key is a warning, for other tools and versions read the same file; an unreadable value
/// is an error.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dormouse/error.h"

#include "config/settings.h"

namespace dormouse {

inline constexpr std::string_view kDefaultConfigFile = "/etc/suspend.conf";
inline constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20;

struct ConfigLine {
  std::string_view key;
  std::string value;
};

/// One line without its end: nullopt if blank or a comment, else what is wrong with it in words.
std::expected<std::optional<ConfigLine>, std::string> split_config_line(std::string_view line);

/// `value` as it has to stand behind '=', quoted where it must be: split_config_line() gives it back.
/// Requires: not empty, no control characters but tabs.
[[nodiscard]] std::string config_value(std::string_view value);

/// Applies a file's whole text to `settings`; `path` is for messages only. Errors: kUsage on "path:line".
Result<void> apply_config(std::string_view text, std::string_view path, Settings& settings,
                          std::vector<std::string>& warnings);

/// Reads and applies a file. One that is not there is fine unless `must_exist` (kUsage); one that cannot be
/// read is an error always (kIo).
Result<void> load_config(const std::string& path, bool must_exist, Settings& settings,
                         std::vector<std::string>& warnings);

}  // namespace dormouse
