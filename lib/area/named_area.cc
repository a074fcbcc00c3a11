#include "area/named_area.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <string>

#include "area/device_name.h"
#include "area/name_text.h"
#include "kernel/snapshot_file.h"

namespace dormouse {
namespace {

using Kind = NamedThing::Kind;

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat first{};
  struct stat second{};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

std::uint32_t page_bytes_of(const SearchOptions& options) {
  return options.page_bytes != 0 ? options.page_bytes : system_page_bytes();
}

/// "resume offset = 12 (/etc/suspend.conf:4)".
std::string said_offset(const NamedArea& named) {
  const std::string said = fmt::format("resume offset = {}", named.resume_offset_pages.value_or(0));
  return named.origin.empty() ? said : fmt::format("{} (with the device of {})", said, named.origin);
}

/// What of the search is the same for all that was named.
struct Query {
  const NamedArea& named;
  AreaUse use;
  const SearchOptions& options;
  const std::vector<ActiveSwap>& swaps;
  const Host& host;

  [[nodiscard]] const ActiveSwap* active_file(const std::string& path) const {
    const auto found = std::ranges::find_if(swaps, [&](const ActiveSwap& swap) {
      return swap.kind == ActiveSwap::Kind::kFile && is_same_file(host_path(swap.path, host.paths), path);
    });
    return found == swaps.end() ? nullptr : &*found;
  }
};

Result<AreaSearch> swap_file_area(const Query& query, const std::string& path, bool active) {
  const auto place = query.options.locate(path, page_bytes_of(query.options), query.host);
  if (!place) return std::unexpected(place.error());
  const NamedArea& named = query.named;
  AreaSearch search;
  search.target = {.path = place->device_path,
                   .header_page = place->header_page,
                   .device_number = place->device_number,
                   .active = active,
                   .regular_file = false,
                   .swap_file = path,
                   .named_as = named.resume_device};
  search.notes.push_back(
      fmt::format("the swap file {} begins at page {} of {}", path, place->header_page, place->device_path));
  if (named.resume_offset_pages && *named.resume_offset_pages != place->header_page) {
    search.notes.push_back(fmt::format(
        "{} is out of date: {} begins at page {} now, which is used; leave the offset out, or set it to {}",
        said_offset(named), path, place->header_page, place->header_page));
  }
  return search;
}

/// The active swap files on the device of `target`, and where they begin. Where the place of one cannot be
/// told, `unknown` is set.
struct FilesOnDevice {
  std::vector<SwapFilePlace> places = {};
  bool unknown = false;
};

FilesOnDevice files_on(std::uint64_t device_number, const Query& query) {
  FilesOnDevice files;
  for (const ActiveSwap& swap : query.swaps) {
    if (swap.kind != ActiveSwap::Kind::kFile) continue;
    const std::string path = host_path(swap.path, query.host.paths);
    auto place = query.options.locate(path, page_bytes_of(query.options), query.host);
    if (!place) {
      files.unknown = files.unknown || swap.device == device_number;
    } else if (place->device_number == device_number) {
      files.places.push_back(std::move(*place));
    }
  }
  return files;
}

/// A device with a file system on it, whose swap file begins elsewhere than was said.
Failure wrong_offset(const Query& query, const TargetArea& target, const SwapFilePlace& place) {
  const std::string said = target.header_page == 0 ? "no resume offset is given" : said_offset(query.named);
  return fail(Errc::kUsage, kFindArea)
      .on(target.path)
      .because(
          "{}, but the swap file on it that is swapped on, {}, begins at page {}: write 'resume offset = "
          "{}', or name "
          "the file as resume device and leave the offset out",
          said, place.file, place.header_page, place.header_page);
}

Result<AreaSearch> device_area(const Query& query, const NamedThing& thing) {
  const NamedArea& named = query.named;
  AreaSearch search;
  TargetArea& target = search.target;
  target.path = thing.path;
  target.header_page = named.resume_offset_pages.value_or(0);
  target.device_number = thing.device_number;
  if (named.resume_device != thing.path && host_path(named.resume_device, query.host.paths) != thing.path) {
    target.named_as = named.resume_device;
    search.notes.push_back(fmt::format("{} is {}", named.resume_device, thing.path));
  }
  const bool swapped_on = std::ranges::any_of(query.swaps, [&](const ActiveSwap& swap) {
    return swap.kind == ActiveSwap::Kind::kPartition && swap.device == thing.device_number;
  });
  if (swapped_on) {
    target.active = target.header_page == 0;
    return search;
  }
  const auto files = files_on(thing.device_number, query);
  const auto match = std::ranges::find(files.places, target.header_page, &SwapFilePlace::header_page);
  if (match != files.places.end()) {
    target.active = true;
    target.swap_file = match->file;
    return search;
  }
  // SET_SWAP_AREA will prove it, or not.
  target.active = files.unknown && target.header_page != 0;
  if (files.places.empty() || target.active) return search;
  const Failure wrong = wrong_offset(query, target, files.places.front());
  if (query.use == AreaUse::kSave) return wrong;
  search.notes.emplace_back(wrong.error().what());
  return search;
}

}  // namespace

Result<AreaSearch> find_named_area(const NamedArea& named, AreaUse use, const SearchOptions& options,
                                   const std::vector<ActiveSwap>& swaps, const Host& host) {
  const Query query{.named = named, .use = use, .options = options, .swaps = swaps, .host = host};
  const auto thing = wait_for_name(named, options, host);
  if (!thing) return std::unexpected(thing.error());
  if (thing->kind == Kind::kBlockDevice) return device_area(query, *thing);
  const bool active = query.active_file(thing->path) != nullptr;
  if (!options.allow_file || active) return swap_file_area(query, thing->path, active);
  AreaSearch search;
  search.target = {.path = thing->path,
                   .header_page = named.resume_offset_pages.value_or(0),
                   .device_number = 0,
                   .active = false,
                   .regular_file = true,
                   .swap_file = {},
                   .named_as = {}};
  return search;
}

}  // namespace dormouse
