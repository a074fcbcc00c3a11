#include "boot/boot_menu.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "boot/efi_variables.h"
#include "boot/grub_config.h"
#include "boot/loader_entries.h"
#include "kernel/text_file.h"

namespace dormouse {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kGrubDirectories = {"/boot/grub", "/boot/grub2"};
constexpr std::array<std::string_view, 3> kBootPartitions = {"/boot", "/efi", "/boot/efi"};

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

Result<std::optional<FoundMenu>> read_grub(const Host& host) {
  for (const std::string_view directory : kGrubDirectories) {
    const std::string base = host.paths.root + std::string(directory);
    const std::string path = base + "/grub.cfg";
    if (!exists(path)) continue;
    const auto config = read_text_file(path, host.calls);
    if (!config) return std::unexpected(config.error());
    const auto environment = read_text_file(base + "/grubenv", host.calls);
    return FoundMenu{.path = path, .menu = parse_grub_config(*config, environment.value_or(""), path)};
  }
  return std::nullopt;
}

Result<std::optional<FoundMenu>> read_loader_entries(const Host& host) {
  for (const std::string_view partition : kBootPartitions) {
    const std::string loader = fmt::format("{}{}/loader", host.paths.root, partition);
    const std::string directory = loader + "/entries";
    std::error_code problem;
    std::vector<LoaderFile> files;
    for (fs::directory_iterator each(directory, problem), end; !problem && each != end;
         each.increment(problem)) {
      if (each->path().extension() != ".conf") continue;
      auto text = read_text_file(each->path().string(), host.calls);
      if (!text) return std::unexpected(text.error());
      files.push_back({.name = each->path().filename().string(), .text = std::move(*text)});
    }
    if (files.empty()) continue;
    const auto config = read_text_file(loader + "/loader.conf", host.calls);
    std::string chosen = loader_variable("LoaderEntryOneShot", host);
    if (chosen.empty()) chosen = loader_variable("LoaderEntryDefault", host);
    return FoundMenu{.path = directory,
                     .menu = parse_loader_entries(std::move(files), config.value_or(""), chosen, directory)};
  }
  return std::nullopt;
}

}  // namespace

Result<FoundMenu> read_boot_menu(const Host& host) {
  const bool by_systemd = loader_variable("LoaderInfo", host).starts_with("systemd-boot");
  auto first = by_systemd ? read_loader_entries(host) : read_grub(host);
  if (!first) return std::unexpected(first.error());
  if (*first) return **std::move(first);
  auto second = by_systemd ? read_grub(host) : read_loader_entries(host);
  if (!second) return std::unexpected(second.error());
  if (*second) return **std::move(second);
  return FoundMenu{};
}

std::optional<std::string> locate_boot_file(const std::string& named, const Host& host) {
  const std::string rooted = named.starts_with('/') ? named : "/" + named;
  const std::string name = rooted.substr(rooted.rfind('/'));
  // On the root file system; on a boot partition of its own; in a subvolume, which the loader sees as a
  // directory.
  std::vector<std::string> places = {host.paths.root + rooted};
  for (const std::string_view partition : kBootPartitions)
    places.push_back(fmt::format("{}{}{}", host.paths.root, partition, rooted));
  if (const std::size_t second = rooted.find('/', 1); second != std::string::npos)
    places.push_back(host.paths.root + rooted.substr(second));
  places.push_back(fmt::format("{}/boot{}", host.paths.root, name));
  const auto place = std::ranges::find_if(places, is_file);
  return place == places.end() ? std::nullopt : std::optional(*place);
}

std::optional<std::string> usual_initramfs(const std::string& release, const Host& host) {
  const std::string& root = host.paths.root;
  const std::array<std::string, 4> places = {fmt::format("{}/boot/initrd.img-{}", root, release),
                                             fmt::format("{}/boot/initramfs-{}.img", root, release),
                                             fmt::format("{}/boot/initrd-{}", root, release),
                                             fmt::format("{}/boot/initramfs-linux.img", root)};
  const auto place = std::ranges::find_if(places, is_file);
  return place == places.end() ? std::nullopt : std::optional(*place);
}

std::string running_release(const Host& host) {
  const auto text = read_text_file(host.paths.proc + "/sys/kernel/osrelease", host.calls);
  return text ? std::string(trimmed(*text)) : std::string();
}

}  // namespace dormouse
