#include "area/device_stack.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include "area/block_devices.h"
#include "area/crypttab.h"
#include "kernel/text_file.h"

namespace dormouse {
namespace {

constexpr std::string_view kNameIt = "name it with --resume-device to use it all the same";

bool is_numbered(std::string_view name, std::string_view kind) {
  return name.size() > kind.size() && name.starts_with(kind) && name[kind.size()] >= '0' &&
         name[kind.size()] <= '9';
}

/// The file's text; empty where there is none.
Result<std::string> text_or_nothing(const std::string& path, const Host& host) {
  auto text = read_text_file(path, host.calls);
  if (text || text.error().errnum != ENOENT) return text;
  return std::string{};
}

Result<std::string> obstacle_of_plain_crypt(const SysDevice& device, const Host& host) {
  const auto crypttab = text_or_nothing(host.paths.root + "/etc/crypttab", host);
  if (!crypttab) return std::unexpected(crypttab.error());
  const auto key = crypttab_key(*crypttab, device.mapped_name);
  if (!key) {
    return fmt::format(
        "{} is plain dm-crypt, and no line of /etc/crypttab tells whether its key is the same at the next "
        "boot: {} if "
        "it is",
        device.path, kNameIt);
  }
  if (is_random_key(*key)) {
    return fmt::format("{} has a new key at each boot ({} in /etc/crypttab): give it a key that lasts (LUKS)",
                       device.path, *key);
  }
  return std::string{};
}

Result<std::string> obstacle_of(const SysDevice& device, const Host& host) {
  constexpr std::array<std::string_view, 3> kNetwork = {"nbd", "rbd", "drbd"};
  if (is_numbered(device.name, "zd")) {
    return fmt::format(
        "{} is a ZFS volume: writing to one needs memory while there is none to have, which can stop the "
        "machine for "
        "ever",
        device.path);
  }
  if (is_numbered(device.name, "loop")) {
    const auto file =
        text_or_nothing(host.paths.sys + "/class/block/" + device.disk + "/loop/backing_file", host);
    if (!file) return std::unexpected(file.error());
    return fmt::format(
        "{} is a loop device over the file {}, whose file system would have to be mounted before the image "
        "is loaded: "
        "use that file as a swap file instead",
        device.path, file->empty() ? "(unknown)" : trimmed(*file));
  }
  const auto network = [&](std::string_view kind) { return is_numbered(device.name, kind); };
  if (std::ranges::any_of(kNetwork, network)) {
    return fmt::format("{} is there only once the network is: {}", device.path, kNameIt);
  }
  if (device.mapped_uuid.starts_with("CRYPT-PLAIN")) return obstacle_of_plain_crypt(device, host);
  if (device.disk != device.name) return std::string{};  // its disk is looked at, too
  const auto removable = is_removable(device.disk, device.sys_path, host);
  if (!removable) return std::unexpected(removable.error());
  if (*removable) return fmt::format("the disk {} can be taken out: {}", device.path, kNameIt);
  return std::string{};
}

}  // namespace

Result<bool> is_removable(const std::string& disk, const std::string& sys_path, const Host& host) {
  const std::string directory = host.paths.sys + "/class/block/" + disk;
  const auto removable = text_or_nothing(directory + "/removable", host);
  if (!removable) return std::unexpected(removable.error());
  if (trimmed(*removable) == "1") return true;
  if (sys_path.find("/usb") != std::string::npos) return true;
  if (sys_path.find("/mmc_host/") == std::string::npos) return false;
  // Cards say "SD"; "MMC" is soldered in.
  const auto type = text_or_nothing(directory + "/device/type", host);
  if (!type) return std::unexpected(type.error());
  return trimmed(*type) != "MMC";
}

Result<StackFacts> inspect_stack(const std::string& name, const Host& host) {
  StackFacts facts;
  for (const std::string& member : whole_stack(name, host)) {
    const auto device = read_block_device(member, host);
    if (!device) return std::unexpected(device.error());
    if (is_numbered(member, "zram") || is_numbered(member, "ram")) {
      facts.memory = true;
      facts.obstacle = fmt::format("{} is memory, which is gone when the power is", device->path);
      return facts;
    }
    const std::string_view uuid = device->mapped_uuid;
    if (uuid.starts_with("CRYPT-") && !uuid.starts_with("CRYPT-VERITY") &&
        !uuid.starts_with("CRYPT-INTEGRITY"))
      facts.encrypted = true;
    if (!facts.obstacle.empty()) continue;
    auto obstacle = obstacle_of(*device, host);
    if (!obstacle) return std::unexpected(obstacle.error());
    facts.obstacle = std::move(*obstacle);
  }
  return facts;
}

}  // namespace dormouse
