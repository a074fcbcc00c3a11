#include "area/device_name.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>

#include "area/name_text.h"
#include "area/tag_search.h"
#include "base/errno_meaning.h"
#include "kernel/device_number.h"

namespace dormouse {
namespace {

using Thing = NamedThing;
using Found = Result<std::optional<Thing>>;
using Milliseconds = std::chrono::milliseconds;

constexpr std::size_t kMostListed = 6;

/// A name that lasts and tells most: the device mapper's own, else the node that a link leads to.
std::string best_path(const std::string& path, std::uint64_t number, const Host& host) {
  if (path.starts_with(host.paths.dev + "/mapper/")) return path;
  if (const auto name = block_device_name(number, host); name && name->starts_with("dm-")) {
    const auto device = read_block_device(*name, host);
    if (device && device->path.starts_with(host.paths.dev + "/mapper/")) return device->path;
  }
  char* real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string result(real);
  std::free(real);
  return result;
}

Found look_at(const std::string& path, const Host& host) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    const int errnum = errno;
    if (errnum == ENOENT || errnum == ENOTDIR) return std::nullopt;
    return fail(code_of(errnum), kFindArea).on(path).os(errnum);
  }
  if (S_ISREG(status.st_mode)) return Thing{.kind = Thing::Kind::kRegularFile, .path = path};
  if (!S_ISBLK(status.st_mode)) {
    return fail(Errc::kUsage, kFindArea)
        .on(path)
        .because("it is neither a block device nor a swap file: name one of them, see 'swapon --show'");
  }
  return Thing{.kind = Thing::Kind::kBlockDevice,
               .path = best_path(path, status.st_rdev, host),
               .device_number = status.st_rdev};
}

Found look_for_path(const std::string& written, const Host& host) {
  std::vector<std::string> places{host_path(written, host.paths)};
  // udev's own links have escapes in their names; others only write them so.
  if (const std::string plain = undo_escapes(written); plain != written)
    places.push_back(host_path(plain, host.paths));
  if (written.find('/') == std::string::npos) {
    places.push_back(host.paths.dev + "/mapper/" + written);
    places.push_back(host.paths.dev + "/" + written);
  }
  for (const std::string& place : places) {
    if (auto found = look_at(place, host); !found || *found) return found;
  }
  return std::nullopt;
}

Found look_for_number(std::uint64_t number, const Host& host) {
  const auto path = block_device_path(number, host.paths);
  if (!path && path.error().code == Errc::kUsage) return std::nullopt;
  if (!path) return std::unexpected(path.error());
  return look_at(*path, host);
}

Found look_for_tag(const AreaTag& tag, const std::string& written, const Host& host,
                   std::vector<std::string>* skipped) {
  if (tag.value.empty()) {
    return fail(Errc::kUsage, kFindArea).on(written).because("there is nothing behind the '='");
  }
  auto search = search_tag(tag, host);
  if (!search) return std::unexpected(search.error());
  if (skipped != nullptr) *skipped = std::move(search->skipped);
  if (search->found.empty()) return std::nullopt;
  if (search->found.size() == 1) return look_at(search->found.front().path, host);
  std::string all;
  for (const SysDevice& device : search->found) {
    if (!all.empty()) all += ", ";
    all += device.path;
  }
  return fail(Errc::kUsage, kFindArea)
      .on(written)
      .because(
          "{} devices have it: {}. Name the one that is meant by its path in /dev/disk/by-id or "
          "/dev/disk/by-path, or give the other another {}{}",
          search->found.size(), all, tag_word(tag.kind), tag.of_partition() ? "" : " (swaplabel, mkswap)");
}

/// What may have been meant: swap areas, else any block devices.
std::string what_there_is(const Host& host) {
  const auto all = list_block_devices(host);
  if (!all || all->devices.empty()) return "no block device is there at all";
  std::vector<std::string> areas;
  std::vector<std::string> others;
  for (const SysDevice& device : all->devices) {
    const auto tags = read_tags(device, false, host);
    const bool area = tags && (tags->type == "swap" || tags->type == "swsuspend");
    if (!area) {
      others.push_back(device.path);
      continue;
    }
    areas.push_back(tags->uuid.empty() ? device.path : fmt::format("{} (UUID={})", device.path, tags->uuid));
  }
  const auto& shown = areas.empty() ? others : areas;
  std::string text = areas.empty() ? "no swap area is on any block device; there are " : "swap areas are on ";
  for (std::size_t i = 0; i < std::min(shown.size(), kMostListed); ++i) {
    if (i > 0) text += ", ";
    text += shown[i];
  }
  if (shown.size() > kMostListed) text += fmt::format(" and {} more", shown.size() - kMostListed);
  return text;
}

Error not_there(const NamedArea& named, Milliseconds waited, const std::vector<std::string>& skipped,
                const Host& host) {
  std::string text = "nothing of that name is there";
  if (!named.origin.empty()) text += fmt::format(" (see {})", named.origin);
  if (waited.count() > 0) text += fmt::format(", and nothing came in {} s", (waited.count() + 999) / 1000);
  text += ": " + what_there_is(host);
  if (!skipped.empty()) {
    text += fmt::format("; {} could not be read", skipped.front());
    if (skipped.size() > 1) text += fmt::format(", nor {} others", skipped.size() - 1);
  }
  return fail(Errc::kUsage, kFindArea).on(named.resume_device).because("{}", text).error();
}

}  // namespace

Found look_up_name(const std::string& written, const Host& host, std::vector<std::string>* skipped) {
  if (const auto tag = parse_tag(written)) return look_for_tag(*tag, written, host, skipped);
  if (const auto number = parse_device_number(written)) return look_for_number(*number, host);
  return look_for_path(written, host);
}

Result<NamedThing> wait_for_name(const NamedArea& named, const SearchOptions& options, const Host& host) {
  constexpr Milliseconds kPause{100};
  constexpr Milliseconds kSecond{1000};
  // Both are counted: looking takes time too, on a disk that does not answer even much.
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&](Milliseconds paused) {
    const auto passed = std::chrono::steady_clock::now() - begin;
    return std::max(paused, std::chrono::duration_cast<Milliseconds>(passed));
  };
  std::vector<std::string> skipped;
  Milliseconds paused{0};
  Milliseconds next_line{0};
  while (true) {
    const auto found = look_up_name(named.resume_device, host, &skipped);
    if (!found) return std::unexpected(found.error());
    if (*found) return **found;
    const Milliseconds waited = elapsed(paused);
    if (waited >= options.wait) return std::unexpected(not_there(named, options.wait, skipped, host));
    if (waited >= next_line) {
      if (options.waiting) {
        options.waiting(fmt::format("waiting for {} ({} s left)", named.resume_device,
                                    (options.wait - waited + kSecond - Milliseconds{1}) / kSecond));
      }
      next_line = waited + kSecond;
    }
    host.calls.pause(kPause);
    paused += kPause;
  }
}

}  // namespace dormouse
