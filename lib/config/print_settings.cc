/// The settings as a configuration file.
#include <fmt/format.h>

#include "config/config_file.h"
#include "config/key_table.h"

namespace dormouse {
namespace {

/// The other key that names key files, where it was given by a later source: then this one's do not count.
std::optional<Key> superseded_by(Key key, const Settings& settings) {
  const auto beats = [&](Key other) { return settings.origin(other).kind > settings.origin(key).kind; };
  if (key == Key::kKeyFile && beats(Key::kRsaKeyFile)) return Key::kRsaKeyFile;
  if (key == Key::kRsaKeyFile && beats(Key::kKeyFile)) return Key::kKeyFile;
  return std::nullopt;
}

class Printer {
 public:
  explicit Printer(const Settings& settings) : settings_(settings) {}

  void key(const KeyInfo& info) {
    const Origin& origin = settings_.origin(info.key);
    if (info.list != nullptr) {
      const auto& values = settings_.*info.list;
      const auto& origins = settings_.key_file_origins;
      for (std::size_t i = 0; i < values.size(); ++i) {
        line(info, config_value(values[i]), i < origins.size() ? origins[i] : origin);
      }
      if (!values.empty()) return;
    } else if (const auto value = info.print(settings_)) {
      return line(info, *value, origin);
    }
    lines_ += fmt::format("# {} =  # {}: {}\n", info.name, origin.text(), info.unset);
  }

  [[nodiscard]] std::string text() && { return std::move(lines_); }

 private:
  void line(const KeyInfo& info, std::string_view value, const Origin& origin) {
    const auto winner = superseded_by(info.key, settings_);
    if (!winner) {
      lines_ += fmt::format("{} = {}  # {}\n", info.name, value, origin.text());
      return;
    }
    lines_ += fmt::format("# {} = {}  # {}: not used, {} takes its place\n", info.name, value, origin.text(),
                          settings_.origin(*winner).text());
  }

  const Settings& settings_;
  std::string lines_;
};

}  // namespace

std::string print_settings(const Settings& settings) {
  Printer printer(settings);
  for (const KeyInfo& info : key_table()) printer.key(info);
  return std::move(printer).text();
}

}  // namespace dormouse
