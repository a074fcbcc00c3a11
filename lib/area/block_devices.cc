#include "area/block_devices.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "kernel/device_number.h"
#include "kernel/text_file.h"

namespace dormouse {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kList = "list block devices";
constexpr std::uint64_t kSectorBytes = 512;

std::string class_path(const Host& host, const std::string& name) {
  return host.paths.sys + "/class/block/" + name;
}

bool is_memory_or_floppy(std::string_view name) {
  return name.starts_with("ram") || name.starts_with("zram") || name.starts_with("fd");
}

std::string real_path(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return {};
  std::string result(real);
  std::free(real);
  return result;
}

/// Names in a directory, in order; none where there is no such directory.
std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code problem;
  for (fs::directory_iterator it(directory, problem), end; !problem && it != end; it.increment(problem))
    names.push_back(it->path().filename());
  std::ranges::sort(names);
  return names;
}

/// The content of an attribute; empty where there is none.
Result<std::string> attribute(const std::string& path, const Host& host) {
  auto text = read_text_file(path, host.calls);
  if (text) return std::string(trimmed(*text));
  if (text.error().errnum == ENOENT) return std::string{};
  return std::unexpected(text.error());
}

std::string value_of(std::string_view uevent, std::string_view key) {
  while (!uevent.empty()) {
    const auto line = uevent.substr(0, uevent.find('\n'));
    uevent.remove_prefix(std::min(uevent.size(), line.size() + 1));
    if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == '=')
      return std::string(line.substr(key.size() + 1));
  }
  return {};
}

bool is_node_of(const std::string& path, std::uint64_t number) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISBLK(status.st_mode) && status.st_rdev == number;
}

std::string node_of(const SysDevice& device, const Host& host) {
  const std::string mapped = host.paths.dev + "/mapper/" + device.mapped_name;
  if (!device.mapped_name.empty() && is_node_of(mapped, device.number)) return mapped;
  std::string name = device.name;
  std::ranges::replace(name, '!', '/');  // as in cciss!c0d0
  return host.paths.dev + "/" + name;
}

/// Devices below `name` by the device mapper, MD and the like. What a partition lies on is what its disk
/// does.
void add_lower(const std::string& name, const Host& host, std::set<std::string>& below) {
  const std::string directory = class_path(host, name);
  for (const std::string& lower : names_in(directory + "/slaves")) {
    if (below.insert(lower).second) add_lower(lower, host, below);
  }
  std::error_code problem;
  if (fs::exists(directory + "/partition", problem))
    add_lower(fs::path(real_path(directory)).parent_path().filename(), host, below);
}

/// Without `name` itself, and without disks of which only a partition is used.
std::set<std::string> claimed_by(const std::string& name, const Host& host) {
  std::set<std::string> below;
  add_lower(name, host, below);
  return below;
}

}  // namespace

Result<SysDevice> read_block_device(const std::string& name, const Host& host) {
  const std::string directory = class_path(host, name);
  SysDevice device{.name = name};
  device.sys_path = real_path(directory);
  const auto number = read_text_file(directory + "/dev", host.calls);
  if (!number) return std::unexpected(number.error());
  const auto parsed = parse_device_number(trimmed(*number));
  if (!parsed) {
    return fail(Errc::kIo, kList)
        .on(directory + "/dev")
        .because("\"{}\" is no device number", trimmed(*number));
  }
  device.number = *parsed;
  const auto size = read_text_file(directory + "/size", host.calls);
  if (!size) return std::unexpected(size.error());
  const std::string_view digits = trimmed(*size);
  std::uint64_t sectors = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), sectors);
  device.size_bytes = sectors <= ~std::uint64_t{0} / kSectorBytes ? sectors * kSectorBytes : 0;

  std::error_code problem;
  const bool partition = fs::exists(directory + "/partition", problem);
  device.disk = partition ? fs::path(device.sys_path).parent_path().filename().string() : name;
  auto mapped_name = attribute(directory + "/dm/name", host);
  auto mapped_uuid = attribute(directory + "/dm/uuid", host);
  const auto uevent = attribute(directory + "/uevent", host);
  if (!mapped_name) return std::unexpected(mapped_name.error());
  if (!mapped_uuid) return std::unexpected(mapped_uuid.error());
  if (!uevent) return std::unexpected(uevent.error());
  device.mapped_name = std::move(*mapped_name);
  device.mapped_uuid = std::move(*mapped_uuid);
  device.part_uuid = value_of(*uevent, "PARTUUID");
  device.part_label = value_of(*uevent, "PARTNAME");
  device.path = node_of(device, host);
  return device;
}

std::string skipped_text(const std::string& device, const Error& error) {
  const std::string reason =
      error.errnum != 0 ? std::generic_category().message(error.errnum) : std::string(error.detail.view());
  return fmt::format("{} ({})", device, reason);
}

Result<SysDevices> list_block_devices(const Host& host) {
  const std::string directory = host.paths.sys + "/class/block";
  std::error_code problem;
  if (!fs::is_directory(directory, problem)) {
    return fail(Errc::kIo, kList).on(directory).because("it cannot be read: is /sys mounted?");
  }
  SysDevices found;
  for (const std::string& name : names_in(directory)) {
    if (is_memory_or_floppy(name)) continue;
    auto device = read_block_device(name, host);
    if (!device) {
      if (device.error().errnum != ENOENT && device.error().errnum != ENODEV)
        found.skipped.push_back(skipped_text(name, device.error()));
      continue;
    }
    if (device->size_bytes > 0) found.devices.push_back(std::move(*device));
  }
  return found;
}

std::optional<std::string> block_device_name(std::uint64_t number, const Host& host) {
  const std::string real = real_path(host.paths.sys + "/dev/block/" + format_device_number(number));
  if (real.empty()) return std::nullopt;
  return fs::path(real).filename().string();
}

std::set<std::string> whole_stack(const std::string& name, const Host& host) {
  std::set<std::string> stack{name};
  add_lower(name, host, stack);
  for (const std::string& member : std::set(stack)) {
    std::error_code problem;
    const std::string directory = class_path(host, member);
    if (fs::exists(directory + "/partition", problem))
      stack.insert(fs::path(real_path(directory)).parent_path().filename());
  }
  return stack;
}

std::vector<SysDevice> uppermost(const std::vector<SysDevice>& devices, const Host& host) {
  std::vector<SysDevice> top;
  for (const SysDevice& device : devices) {
    const bool hidden = std::ranges::any_of(devices, [&](const SysDevice& other) {
      if (other.name == device.name) return false;
      const auto below = claimed_by(other.name, host);
      return below.contains(device.name) || below.contains(device.disk);
    });
    if (!hidden) top.push_back(device);
  }
  return top;
}

}  // namespace dormouse
