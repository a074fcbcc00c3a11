#include "kernel/device_number.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>

#include "kernel/text_file.h"

namespace dormouse {
namespace {

/// The kernel's limits: 12 bits of major number, 20 of minor.
constexpr unsigned kMaxMajor = (1U << 12U) - 1;
constexpr unsigned kMaxMinor = (1U << 20U) - 1;

bool parse_whole(std::string_view text, unsigned limit, unsigned& value) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && status == std::errc{} && end == text.data() + text.size() && value <= limit;
}

bool exists(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0;
}

/// The value of DEVNAME in a uevent file; empty if there is none.
std::string_view device_name(std::string_view uevent) {
  constexpr std::string_view kKey = "DEVNAME=";
  const auto at = uevent.starts_with(kKey) ? 0 : uevent.find("\nDEVNAME=");
  if (at == std::string_view::npos) return {};
  uevent.remove_prefix(uevent.find(kKey) + kKey.size());
  return trimmed(uevent.substr(0, uevent.find('\n')));
}

}  // namespace

std::optional<std::uint64_t> parse_device_number(std::string_view text) {
  const auto colon = text.find(':');
  unsigned major_number = 0;
  unsigned minor_number = 0;
  if (colon == std::string_view::npos || !parse_whole(text.substr(0, colon), kMaxMajor, major_number) ||
      !parse_whole(text.substr(colon + 1), kMaxMinor, minor_number)) {
    return std::nullopt;
  }
  return gnu_dev_makedev(major_number, minor_number);
}

std::string format_device_number(std::uint64_t device) {
  return fmt::format("{}:{}", gnu_dev_major(device), gnu_dev_minor(device));
}

Result<std::string> block_device_path(std::uint64_t device, const SystemPaths& paths) {
  constexpr std::string_view kFind = "find block device";
  const auto number = format_device_number(device);
  // Made by udev; an initramfs may have none.
  if (char* real = ::realpath((paths.dev + "/block/" + number).c_str(), nullptr); real != nullptr) {
    std::string path(real);
    std::free(real);
    return path;
  }
  const auto uevent = read_text_file(paths.sys + "/dev/block/" + number + "/uevent");
  if (!uevent) {
    if (uevent.error().errnum != ENOENT) return std::unexpected(uevent.error());
    return fail(Errc::kUsage, kFind).on(number).because("there is no block device of this number");
  }
  const auto name = device_name(*uevent);
  const auto path = fmt::format("{}/{}", paths.dev, name);
  if (name.empty() || !exists(path)) {
    return fail(Errc::kIo, kFind)
        .on(number)
        .because("the kernel knows it as \"{}\", but {} does not exist", name, path);
  }
  return path;
}

Result<std::uint64_t> block_device_number(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return fail(Errc::kIo, "stat").os(errno).on(path);
  if (!S_ISBLK(status.st_mode))
    return fail(Errc::kUsage, "stat").on(path).because("it is not a block device");
  return status.st_rdev;
}

}  // namespace dormouse
