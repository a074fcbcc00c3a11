#include "kernel/mounted_file_systems.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "kernel/text_file.h"

namespace dormouse {
namespace {

constexpr std::array<std::string_view, 5> kNeverWritten = {"squashfs", "iso9660", "erofs", "cramfs", "romfs"};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!(line = trimmed(line)).empty()) {
    words.push_back(line.substr(0, line.find(' ')));
    line.remove_prefix(words.back().size());
  }
  return words;
}

/// "id parent major:minor root mount-point options [tags] - type source options" (proc_pid_mountinfo(5)).
std::optional<std::string> device_of(std::string_view line) {
  const auto words = words_of(line);
  const auto dash = std::ranges::find(words, "-");
  if (words.size() < 6 || words.end() - dash < 3) return std::nullopt;
  const std::string_view type = dash[1];
  const std::string_view source = dash[2];
  // btrfs and zfs have device numbers of their own kind, with major 0.
  const bool on_device = !words[2].starts_with("0:") || source.starts_with("/dev/") || type == "zfs";
  if (!on_device || std::ranges::find(kNeverWritten, type) != kNeverWritten.end()) return std::nullopt;
  return fmt::format("{} on {}", source, words[4]);
}

}  // namespace

std::optional<std::string> first_mounted_device(std::string_view mountinfo) {
  while (!mountinfo.empty()) {
    const auto line = mountinfo.substr(0, mountinfo.find('\n'));
    if (auto found = device_of(line)) return found;
    mountinfo.remove_prefix(std::min(line.size() + 1, mountinfo.size()));
  }
  return std::nullopt;
}

Result<std::optional<std::string>> mounted_file_system(const Host& host) {
  const auto text = read_text_file(host.paths.proc + "/self/mountinfo", host.calls);
  if (!text) return std::unexpected(text.error());
  return first_mounted_device(*text);
}

}  // namespace dormouse
