#include "area/mark_search.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "dormouse/units.h"

#include "area/area_start.h"
#include "area/block_devices.h"
#include "area/device_stack.h"
#include "format/swap_header.h"
#include "kernel/snapshot_file.h"

namespace dormouse {
namespace {

constexpr std::string_view kSearch = "look for an image";

bool carries_mark(std::span<const std::byte> start) {
  constexpr std::array<std::size_t, 3> kPageSizes = {kMinPageBytes, 16384, kMaxPageBytes};
  return std::ranges::any_of(kPageSizes, [&](std::size_t page_bytes) {
    if (start.size() < page_bytes) return false;
    return std::ranges::equal(get_tail(start.first(page_bytes)).signature, kUserSignature);
  });
}

/// A loop device's file lies on a file system, which must not be mounted before an image is loaded.
Result<bool> is_on_fixed_disk(const SysDevice& device, const Host& host) {
  for (const std::string& member : whole_stack(device.name, host)) {
    if (member.starts_with("loop")) return false;
    const auto lower = read_block_device(member, host);
    if (!lower) return std::unexpected(lower.error());
    const auto removable = is_removable(lower->disk, lower->sys_path, host);
    if (!removable) return std::unexpected(removable.error());
    if (*removable) return false;
  }
  return true;
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

}  // namespace

bool is_plain_swap(const TargetArea& target, std::uint32_t page_bytes, const Host& host) {
  const std::uint64_t unit = page_bytes != 0 ? page_bytes : system_page_bytes();
  if (target.header_page > ~std::uint64_t{0} / 2 / unit) return false;
  const auto start = read_area_start(target.path, target.header_page * unit, host);
  if (!start) return false;
  // How far the area reaches is not asked here.
  const auto header = decode_swap_header(start->span(), ~std::uint64_t{0});
  return header && header->signature == SwapSignature::kPlain;
}

Result<AreaSearch> find_marked_area(const Host& host) {
  auto all = list_block_devices(host);
  if (!all) return std::unexpected(all.error());
  std::vector<std::string> skipped = std::move(all->skipped);
  int first_errnum = skipped.empty() ? 0 : EIO;
  std::vector<SysDevice> marked;
  for (const SysDevice& device : all->devices) {
    const auto fixed = is_on_fixed_disk(device, host);
    if (fixed && !*fixed) continue;
    const auto start = fixed ? read_area_start(device.path, 0, host) : std::unexpected(fixed.error());
    if (!start) {
      const int errnum = start.error().errnum;
      if (errnum == ENOMEDIUM || errnum == ENXIO) continue;
      if (first_errnum == 0) first_errnum = errnum != 0 ? errnum : EIO;
      skipped.push_back(skipped_text(device.path, start.error()));
    } else if (carries_mark(start->span())) {
      marked.push_back(device);
    }
  }
  marked = uppermost(marked, host);
  if (marked.empty()) {
    auto none = fail(Errc::kNoImage, kSearch);
    if (skipped.empty()) return std::move(none).because("no block device on a fixed disk holds one");
    return std::move(none)
        .os(first_errnum)
        .because("no block device that can be read holds one; not read: {}", list(skipped));
  }
  if (marked.size() > 1) {
    std::vector<std::string> paths;
    for (const SysDevice& device : marked) paths.push_back(device.path);
    return fail(Errc::kUsage, kSearch)
        .because("{} areas hold one: {}. Name the one that is meant as --resume-device", paths.size(),
                 list(paths));
  }
  AreaSearch search;
  search.target = {.path = marked.front().path, .device_number = marked.front().number};
  search.notes.push_back(fmt::format("nothing was named; {} holds an image", marked.front().path));
  for (const std::string& text : skipped) search.notes.push_back("skipped: " + text);
  return search;
}

}  // namespace dormouse
