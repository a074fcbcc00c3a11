#include "kernel/power_settings.h"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "kernel/text_file.h"

namespace dormouse {
namespace {

std::string disk_file(const SystemPaths& paths) {
  return paths.sys + "/power/disk";
}
std::string image_size_file(const SystemPaths& paths) {
  return paths.sys + "/power/image_size";
}

}  // namespace

bool DiskModes::has(std::string_view mode) const {
  return std::ranges::find(modes, mode) != modes.end();
}

DiskModes parse_disk_modes(std::string_view text) {
  DiskModes result;
  text = trimmed(text);
  if (text == "[disabled]") return result;
  while (!text.empty()) {
    auto word = text.substr(0, text.find(' '));
    text = trimmed(text.substr(word.size()));
    if (word.size() > 2 && word.front() == '[' && word.back() == ']') {
      word = word.substr(1, word.size() - 2);
      result.current = word;
    }
    result.modes.emplace_back(word);
  }
  result.available = !result.modes.empty();
  return result;
}

Result<DiskModes> read_disk_modes(const SystemPaths& paths, SystemCalls& calls) {
  auto text = read_text_file(disk_file(paths), calls);
  if (text) return parse_disk_modes(*text);
  if (text.error().errnum != ENOENT) return std::unexpected(text.error());
  return fail(Errc::kImpossible, "open")
      .os(ENOENT)
      .on(disk_file(paths))
      .because(
          "the kernel was built without hibernation: boot one with CONFIG_HIBERNATION; or sysfs is not "
          "there: mount it");
}

Result<std::uint64_t> read_image_size(const SystemPaths& paths, SystemCalls& calls) {
  auto text = read_text_file(image_size_file(paths), calls);
  if (!text) return std::unexpected(text.error());
  const auto number = trimmed(*text);
  std::uint64_t bytes = 0;
  const auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), bytes);
  if (status != std::errc{} || end != number.data() + number.size()) {
    return fail(Errc::kIo, "read").on(image_size_file(paths)).because("\"{}\" is no number of bytes", number);
  }
  return bytes;
}

}  // namespace dormouse
