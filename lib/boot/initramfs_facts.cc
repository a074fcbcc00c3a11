#include "boot/initramfs_facts.h"

#include <algorithm>
#include <charconv>

#include "boot/initramfs_archive.h"
#include "kernel/text_file.h"

namespace dormouse {
namespace {

// Where resume/initramfs/hook.in puts things, with /usr merged or not.
constexpr std::string_view kResume = "lib/dormouse/resume";
constexpr std::string_view kScript = "scripts/local-premount/dormouse";
constexpr std::string_view kOrder = "scripts/local-premount/ORDER";
constexpr std::string_view kConfig = "etc/suspend.conf";
constexpr std::string_view kDevice = "conf/dormouse-device";
constexpr std::string_view kOffset = "conf/dormouse-offset";
constexpr std::string_view kSystemdResume = "lib/systemd/systemd-hibernate-resume";

std::string_view without_usr(std::string_view path) {
  return path.starts_with("usr/") ? path.substr(4) : path;
}

bool is_setting_file(std::string_view path) {
  return path == "conf/initramfs.conf" || path.starts_with("conf/conf.d/");
}

/// The value of the last RESUME= of a file that a shell reads.
void read_resume_setting(std::string_view text, std::string& setting) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    constexpr std::string_view kName = "RESUME=";
    if (line.starts_with("export ")) line = trimmed(line.substr(7));
    if (!line.starts_with(kName)) continue;
    line.remove_prefix(kName.size());
    if (line.size() >= 2 && (line.front() == '"' || line.front() == '\'') && line.back() == line.front()) {
      line = line.substr(1, line.size() - 2);
    }
    setting = line;
  }
}

std::optional<std::uint64_t> read_pages(std::string_view text) {
  std::uint64_t pages = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), pages);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return pages;
}

bool calls_script(std::string_view order) {
  while (!order.empty()) {
    const std::size_t end = std::min(order.find('\n'), order.size());
    const std::string_view line = trimmed(order.substr(0, end));
    order.remove_prefix(std::min(end + 1, order.size()));
    if (!line.starts_with('#') && line.find(kScript) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

Result<InitramfsFacts> read_initramfs_facts(const std::string& path, const Host& host) {
  InitramfsFacts facts{.path = path};
  const InitramfsVisitor visitor{.wants =
                                     [](const CpioEntry& entry) {
                                       return entry.path == kOrder || entry.path == kConfig ||
                                              entry.path == kDevice || entry.path == kOffset ||
                                              is_setting_file(entry.path);
                                     },
                                 .takes =
                                     [&](const CpioEntry& entry, std::string text) {
                                       const std::string_view name = without_usr(entry.path);
                                       if (name.starts_with("scripts/")) facts.initramfs_tools = true;
                                       if (name == kResume) {
                                         facts.has_resume = true;
                                         facts.resume_executable = entry.executable() && entry.size > 0;
                                       }
                                       if (name == kScript) {
                                         facts.has_script = true;
                                         facts.script_executable = entry.executable();
                                       }
                                       if (name == kOrder) facts.script_called = calls_script(text);
                                       if (name == kConfig) facts.config = std::move(text);
                                       if (name == kDevice) facts.device = trimmed(text);
                                       if (name == kOffset) facts.offset = read_pages(trimmed(text));
                                       if (name == kSystemdResume) facts.systemd_resume = true;
                                       if (is_setting_file(name))
                                         read_resume_setting(text, facts.resume_setting);
                                     }};
  if (auto r = walk_initramfs(path, visitor, host); !r) return std::unexpected(r.error());
  return facts;
}

}  // namespace dormouse
