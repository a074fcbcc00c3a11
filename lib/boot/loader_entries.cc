#include "boot/loader_entries.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstring>

#include "kernel/text_file.h"

namespace dormouse {
namespace {

struct Parsed {
  std::string id;
  std::string sort_key;
  std::string version;
  BootEntry entry;
};

/// Takes "key value" lines one after the other.
template <class Take>
void for_each_setting(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    const std::size_t blank = std::min(line.find_first_of(" \t"), line.size());
    take(line.substr(0, blank), trimmed(line.substr(blank)));
  }
}

Parsed parse(const LoaderFile& file, std::string_view directory) {
  Parsed parsed{.id = file.name, .sort_key = {}, .version = {}, .entry = {}};
  parsed.entry.place = fmt::format("{}/{}", directory, file.name);
  for_each_setting(file.text, [&](std::string_view key, std::string_view value) {
    BootEntry& entry = parsed.entry;
    if (key == "title") entry.title = value;
    if (key == "sort-key") parsed.sort_key = value;
    if (key == "version") parsed.version = value;
    if (key == "linux") entry.kernel = value;
    if (key == "initrd") entry.initramfs.emplace_back(value);
    if (key == "options") {
      if (!entry.line.empty()) entry.line += ' ';
      entry.line += value;
    }
  });
  if (parsed.entry.title.empty()) parsed.entry.title = file.name;
  return parsed;
}

/// Entries with a sort key come first, by it, then newest first; the others by name, last first.
bool comes_before(const Parsed& a, const Parsed& b) {
  if (a.sort_key.empty() != b.sort_key.empty()) return !a.sort_key.empty();
  if (a.sort_key != b.sort_key) return a.sort_key < b.sort_key;
  if (!a.sort_key.empty()) {
    const int order = ::strverscmp(a.version.c_str(), b.version.c_str());
    if (order != 0) return order > 0;
  }
  return ::strverscmp(a.id.c_str(), b.id.c_str()) > 0;
}

std::optional<std::size_t> first_match(const std::vector<Parsed>& entries, std::string pattern) {
  if (pattern.empty() || pattern.starts_with('@')) return std::nullopt;  // "@saved" is in the firmware
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (::fnmatch(pattern.c_str(), entries[i].id.c_str(), FNM_CASEFOLD) == 0) return i;
    if (entries[i].id == pattern + ".conf") return i;
  }
  return std::nullopt;
}

}  // namespace

BootMenu parse_loader_entries(std::vector<LoaderFile> files, std::string_view loader_config,
                              std::string_view firmware_default, std::string_view directory) {
  std::vector<Parsed> entries;
  for (const LoaderFile& file : files) {
    Parsed parsed_file = parse(file, directory);
    if (!parsed_file.entry.kernel.empty()) entries.push_back(std::move(parsed_file));
  }
  std::ranges::sort(entries, comes_before);
  std::string wanted;
  for_each_setting(loader_config, [&](std::string_view key, std::string_view value) {
    if (key == "default") wanted = value;
  });
  BootMenu menu;
  menu.chosen = first_match(entries, std::string(firmware_default));
  if (!menu.chosen) menu.chosen = first_match(entries, wanted);
  if (!menu.chosen && !entries.empty()) menu.chosen = 0;
  for (Parsed& one : entries) menu.entries.push_back(std::move(one.entry));
  return menu;
}

}  // namespace dormouse
