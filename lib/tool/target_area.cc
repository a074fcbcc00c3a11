#include "tool/target_area.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "kernel/active_swaps.h"
#include "kernel/device_number.h"
#include "kernel/snapshot_file.h"
#include "kernel/text_file.h"

namespace dormouse {
namespace {

constexpr std::string_view kFind = "find swap area";

bool is_compressed_memory(const std::string& path) {
  return path.find("/zram") != std::string::npos;
}

// A partition is active if it is listed; a swap file if any file of its device is, which SET_SWAP_AREA then
// proves.
bool is_active(const TargetArea& target, const std::vector<ActiveSwap>& swaps) {
  return std::ranges::any_of(swaps, [&](const ActiveSwap& swap) {
    const bool file = swap.kind == ActiveSwap::Kind::kFile;
    return swap.device == target.device_number && file == (target.header_page != 0);
  });
}

Result<TargetArea> resolve_named(const NamedArea& named, bool allow_file, const Host& host) {
  TargetArea target;
  target.path = named.resume_device;
  target.header_page = named.resume_offset_pages.value_or(0);
  if (const auto number = parse_device_number(target.path)) {
    auto path = block_device_path(*number, host.paths);
    if (!path) return std::unexpected(path.error());
    target.path = *path;
  }
  struct stat info{};
  if (::stat(target.path.c_str(), &info) != 0) {
    return fail(Errc::kUsage, kFind)
        .on(target.path)
        .os(errno)
        .because("name the resume device as it is called in /dev");
  }
  if (S_ISREG(info.st_mode)) {
    if (!allow_file) {
      return fail(Errc::kUsage, kFind)
          .on(target.path)
          .because(
              "the path of a swap file is not resolved yet: name the block device it lies on as "
              "--resume-device and "
              "the place of its header as --resume-offset (the first physical_offset of 'filefrag -v', in "
              "pages)");
    }
    target.regular_file = true;
    return target;
  }
  if (!S_ISBLK(info.st_mode)) {
    return fail(Errc::kUsage, kFind).on(target.path).because("it is no block device");
  }
  target.device_number = info.st_rdev;
  return target;
}

Result<TargetArea> best_active(const std::vector<ActiveSwap>& swaps) {
  const auto usable = [](const ActiveSwap& swap) {
    return swap.kind == ActiveSwap::Kind::kPartition && swap.device != 0 && !is_compressed_memory(swap.path);
  };
  const auto best = std::ranges::find_if(swaps, usable);
  if (best == swaps.end()) {
    if (swaps.empty()) {
      return fail(Errc::kImpossible, kFind)
          .because("no swap is on: make some (mkswap, swapon), or name an area with --resume-device");
    }
    return fail(Errc::kImpossible, kFind)
        .on(swaps.front().path)
        .because(
            "no swap partition is on. For a swap file name the block device it lies on as --resume-device "
            "and the place "
            "of its header as --resume-offset");
  }
  return TargetArea{.path = best->path,
                    .header_page = 0,
                    .device_number = best->device,
                    .active = true,
                    .regular_file = false};
}

}  // namespace

Result<TargetArea> find_area(const NamedArea& named, bool allow_file, const Host& host) {
  const auto swaps = read_active_swaps(host.paths, host.calls);
  // File mode needs nothing of the kernel; where /proc is missing nothing is active.
  if (!swaps && !allow_file) return std::unexpected(swaps.error());
  const std::vector<ActiveSwap> none;
  if (named.resume_device.empty()) return best_active(swaps ? *swaps : none);
  auto target = resolve_named(named, allow_file, host);
  if (target && !target->regular_file) target->active = is_active(*target, swaps ? *swaps : none);
  return target;
}

Result<TargetArea> find_resume_area(const NamedArea& named, bool allow_file, const Host& host) {
  if (!named.resume_device.empty()) return resolve_named(named, allow_file, host);
  const auto configured = read_text_file(host.paths.sys + "/power/resume", host.calls);
  const auto number = configured ? parse_device_number(trimmed(*configured)) : std::nullopt;
  if (!number || *number == 0) {
    return fail(Errc::kUsage, kFind)
        .because(
            "no resume device was named: use --resume-device, or 'resume device = ...' in the configuration "
            "file");
  }
  NamedArea kernels{.resume_device = std::string(trimmed(*configured)), .resume_offset_pages = {}};
  if (const auto offset = read_text_file(host.paths.sys + "/power/resume_offset", host.calls)) {
    kernels.resume_offset_pages = std::strtoull(offset->c_str(), nullptr, 10);
  }
  return resolve_named(kernels, allow_file, host);
}

Result<OpenArea> open_area(const TargetArea& target, IoMode io, Access access, std::uint32_t page_bytes,
                           const Host& host) {
  OpenArea opened;
  // An area nobody uses is claimed, so that nobody begins to use it meanwhile.
  const bool exclusive = access == Access::kReadWrite && !target.active;
  auto data =
      PosixBlockDevice::open(target.path, {.io = io, .access = access, .exclusive = exclusive}, host.calls);
  if (!data) return std::unexpected(data.error());
  auto header = PosixBlockDevice::open(target.path, {.io = IoMode::kDirect, .access = access}, host.calls);
  // A file system without direct I/O: then there is no second way to the header, and in file mode no stale
  // cache.
  if (!header && target.regular_file)
    header = PosixBlockDevice::open(target.path, {.io = io, .access = access}, host.calls);
  if (!header) return std::unexpected(header.error());
  opened.data = std::move(*data);
  opened.header = std::move(*header);

  const std::uint32_t offset_unit = page_bytes != 0 ? page_bytes : system_page_bytes();
  auto area = SwapArea::open(*opened.header, page_offset(target.header_page, offset_unit));
  if (!area) return std::unexpected(area.error());
  if (page_bytes != 0 && area->page_bytes() != page_bytes) {
    return fail(Errc::kImpossible, "check swap area")
        .on(target.path)
        .because("it was made for pages of {} bytes, this kernel has pages of {}: make it anew with mkswap",
                 area->page_bytes(), page_bytes);
  }
  opened.area.emplace(std::move(*area));
  return opened;
}

std::uint64_t end_page(const TargetArea& target, const SwapArea& area) {
  const std::uint64_t device_end = area.device().size_bytes() / area.page_bytes();
  // A swap file's extents may lie anywhere on its device; a partition's or a plain area's only within itself.
  if (!target.regular_file && target.header_page != 0) return device_end;
  return std::min<std::uint64_t>(device_end, area.header_page() + area.last_page() + 1);
}

}  // namespace dormouse
