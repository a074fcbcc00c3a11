#include "config/config_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/unique_fd.h"
#include "config/key_table.h"
#include "config/value_parsers.h"

namespace dormouse {
namespace {

constexpr std::string_view kStep = "read configuration";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/// Where an unquoted comment begins, or npos.
std::size_t find_comment(std::string_view text) {
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    if (at == 0 || is_blank(text[at - 1])) return at;
  }
  return std::string_view::npos;
}

std::expected<std::string, std::string> read_quoted(std::string_view text) {
  const char quote = text.front();
  text.remove_prefix(1);
  std::string value;
  while (true) {
    const std::size_t end = text.find(quote);
    if (end == std::string_view::npos) {
      return std::unexpected(fmt::format(
          "the quote {0} is not closed: write another {0} at the end of the value, or none at its start",
          quote));
    }
    value += text.substr(0, end);
    text.remove_prefix(end + 1);
    if (!text.starts_with(quote)) break;
    value += quote;
    text.remove_prefix(1);
  }
  if (!trim(text.substr(0, find_comment(text))).empty() || (!text.empty() && !is_blank(text.front()))) {
    return std::unexpected(fmt::format(
        "stray characters '{:.60}' behind the closing quote: delete them, or put '#' and a blank before them",
        trim(text)));
  }
  return value;
}

/// The end of a long path says more than its start. It has to stay on one line, whatever it is called.
std::string place_text(std::string_view path, std::size_t line) {
  constexpr std::size_t kMaxPath = 80;
  const bool whole = path.size() <= kMaxPath;
  std::string place =
      fmt::format("{}{}:{}", whole ? "" : "...", whole ? path : path.substr(path.size() - kMaxPath), line);
  std::ranges::replace_if(place, is_control, '?');
  place.erase(std::ranges::remove(place, '\t').begin(), place.end());
  return place;
}

/// Applies lines one after the other, and remembers which line set which key.
class Application {
 public:
  Application(std::string_view path, Settings& settings, std::vector<std::string>& warnings)
      : path_(path), settings_(settings), warnings_(warnings) {}

  Result<void> line(std::string_view text) {
    ++number_;
    if (std::ranges::any_of(text, is_control)) {
      return wrong("a control character: write the line anew, as text in UTF-8");
    }
    const auto split = split_config_line(text);
    if (!split) return wrong(split.error());
    if (!*split) return {};
    const auto& [name, value] = **split;
    const KeyInfo* info = find_key(name);
    if (info == nullptr) {
      warn(unknown(name));
      return {};
    }
    const std::size_t before = std::exchange(lines_[static_cast<std::size_t>(info->key)], number_);
    const auto outcome = assign(*info, value, {Origin::Kind::kFile, place()}, settings_);
    if (!outcome) return wrong(fmt::format("{} = {:.60}: {}", info->name, value, outcome.error()));
    if (before != 0 && info->list == nullptr) {
      warn(fmt::format("'{}' again: this line counts, line {} does not; delete one of them{}{}", info->name,
                       before, outcome->empty() ? "" : "; ", *outcome));
    } else if (!outcome->empty()) {
      warn(fmt::format("{} = {:.60}: {}", info->name, value, *outcome));
    }
    return {};
  }

 private:
  [[nodiscard]] std::string place() const { return place_text(path_, number_); }
  void warn(std::string_view text) { warnings_.push_back(fmt::format("{}: {}", place(), text)); }
  [[nodiscard]] Failure wrong(std::string_view text) const {
    return fail(Errc::kUsage, kStep).on(place()).because("{}", text);
  }
  static std::string unknown(std::string_view name) {
    const auto near = nearest_key(name);
    if (!near) {
      return fmt::format("unknown key '{:.60}', ignored; suspend.conf(5) lists what there is", name);
    }
    return fmt::format("unknown key '{:.60}', ignored; did you mean '{}'?", name, *near);
  }

  std::string_view path_;
  Settings& settings_;
  std::vector<std::string>& warnings_;
  std::size_t number_ = 0;
  std::array<std::size_t, kKeys> lines_{};  // 0: not seen in this file
};

}  // namespace

std::expected<std::optional<ConfigLine>, std::string> split_config_line(std::string_view line) {
  line = trim(line);
  const std::size_t comment = find_comment(line);
  if (line.empty() || comment == 0) return std::nullopt;
  const std::size_t separator = line.find_first_of("=:");
  if (separator == std::string_view::npos || separator > comment) {
    return std::unexpected(fmt::format(
        "'{:.60}' is not of the form 'key = value': write it so, or put '#' before it", trim(line)));
  }
  const std::string_view value = trim(line.substr(separator + 1));
  ConfigLine result{.key = trim(line.substr(0, separator)), .value = {}};
  if (result.key.empty()) {
    return std::unexpected(fmt::format(
        "there is no key before '{}': write 'key = value', or put '#' before the line", line[separator]));
  }
  if (value.starts_with('"') || value.starts_with('\'')) {
    auto quoted = read_quoted(value);
    if (!quoted) return std::unexpected(quoted.error());
    result.value = *std::move(quoted);
  } else {
    result.value = trim(value.substr(0, find_comment(value)));
  }
  return result;
}

std::string config_value(std::string_view value) {
  const bool quoted = value.starts_with('"') || value.starts_with('\'');
  if (trim(value) == value && !quoted && find_comment(value) == std::string_view::npos) {
    return std::string(value);
  }
  // The quote that the value does not have; where it has both, one is doubled.
  const char quote = value.find('"') == std::string_view::npos ? '"' : '\'';
  std::string text(1, quote);
  for (const char c : value) text.append(c == quote ? 2 : 1, c);
  return text + quote;
}

Result<void> apply_config(std::string_view text, std::string_view path, Settings& settings,
                          std::vector<std::string>& warnings) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Application application(path, settings, warnings);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (auto r = application.line(line); !r) return r;
  }
  return {};
}

Result<void> load_config(const std::string& path, bool must_exist, Settings& settings,
                         std::vector<std::string>& warnings) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    if (missing && !must_exist) return {};
    const int problem = errno;
    if (!missing) return fail(Errc::kIo, kStep).on(path).os(problem);
    return fail(Errc::kUsage, kStep)
        .on(path)
        .os(problem)
        .because("check the name that --config gives, or leave the option out");
  }
  std::string text;
  std::array<char, 4096> piece{};
  while (true) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(Errc::kIo, kStep).on(path).os(errno);
    if (got == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > kMaxConfigBytes) {
      return fail(Errc::kUsage, kStep)
          .on(path)
          .because("longer than {} bytes, which no configuration file is: name another one with --config",
                   kMaxConfigBytes);
    }
  }
  return apply_config(text, path, settings, warnings);
}

}  // namespace dormouse
