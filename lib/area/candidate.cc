#include "area/candidate.h"

#include <algorithm>
#include <optional>
#include <string>

#include "area/area_start.h"
#include "area/block_devices.h"
#include "area/device_stack.h"
#include "area/name_text.h"
#include "area/told_area.h"
#include "format/swap_header.h"
#include "kernel/snapshot_file.h"

namespace dormouse {
namespace {

/// What is known of one active area. Either `reason` says why it is passed over, or the rest is filled in.
struct Look {
  Candidate candidate = {};
  bool memory = false;
  bool maybe_encrypted = true;  // until it is known not to be
  std::string reason = {};
};

/// The device of an area, by its name in /sys, and how far the area may reach.
struct Place {
  std::string device = {};
  std::uint64_t area_bytes = 0;
};

/// Fills in path, device and place of the header.
Result<Place> find_place(const ActiveSwap& swap, std::uint32_t page_bytes, const SearchOptions& options,
                         const Host& host, TargetArea& target) {
  std::uint64_t file_bytes = 0;
  if (swap.kind == ActiveSwap::Kind::kFile) {
    const auto place = options.locate(host_path(swap.path, host.paths), page_bytes, host);
    if (!place) return std::unexpected(place.error());
    target.path = place->device_path;
    target.device_number = place->device_number;
    target.header_page = place->header_page;
    target.swap_file = swap.path;
    file_bytes = place->size_bytes;
  } else {
    target.path = host_path(swap.path, host.paths);
    target.device_number = swap.device;
  }
  auto name = block_device_name(target.device_number, host);
  // The node may be gone while the kernel still uses the device.
  if (!name && swap.device == 0) name = swap.path.substr(swap.path.rfind('/') + 1);
  if (!name) {
    return fail(Errc::kIo, "look at swap area")
        .on(swap.path)
        .because("the kernel does not show its device in {}: what it lies on cannot be told", host.paths.sys);
  }
  const auto device = read_block_device(*name, host);
  if (!device) return std::unexpected(device.error());
  target.device_number = device->number;
  if (!device->mapped_name.empty() || swap.device == 0) target.path = device->path;
  return Place{.device = *name, .area_bytes = file_bytes != 0 ? file_bytes : device->size_bytes};
}

/// Of a file whose place cannot be told, the device of its file system tells at least whether it is
/// encrypted.
bool maybe_encrypted(const ActiveSwap& swap, const Host& host) {
  const auto name = block_device_name(swap.device, host);
  if (!name) return true;
  const auto facts = inspect_stack(*name, host);
  return !facts || facts->encrypted;
}

/// Why the header there does not do; empty where it does.
std::string look_at_header(const TargetArea& target, std::uint64_t area_bytes, std::uint32_t page_bytes,
                           const Host& host) {
  const auto start = read_area_start(target.path, target.header_page * page_bytes, host);
  if (!start) return start.error().what();
  const auto header = decode_swap_header(start->span(), area_bytes);
  if (!header) return std::string(header.error().detail.view());
  if (header->page_bytes == page_bytes) return {};
  return fmt::format(
      "it was made for pages of {} bytes, this kernel has pages of {}: make it anew with mkswap",
      header->page_bytes, page_bytes);
}

/// The search at boot looks where areas begin on devices of their own.
std::string not_found_at_boot(const TargetArea& target) {
  return fmt::format(
      "the next boot would not look at page {} of {}: put 'resume device = {}' into /etc/suspend.conf and "
      "run "
      "update-initramfs -u, or boot with resume= and resume_offset={}",
      target.header_page, target.path, target.swap_file, target.header_page);
}

Look look_at(const ActiveSwap& swap, const std::optional<ToldPlace>& told, const SearchOptions& options,
             const Host& host) {
  const std::uint32_t page_bytes = options.page_bytes != 0 ? options.page_bytes : system_page_bytes();
  Look look;
  TargetArea& target = look.candidate.target;
  target.active = true;
  if (swap.path.ends_with(" (deleted)")) {
    look.reason = "the file was removed while it is swapped on: swapoff it, and make it anew";
    return look;
  }
  const auto place = find_place(swap, page_bytes, options, host, target);
  if (!place) {
    look.reason = place.error().what();
    look.maybe_encrypted = maybe_encrypted(swap, host);
    return look;
  }
  const auto facts = inspect_stack(place->device, host);
  if (!facts) {
    look.reason = facts.error().what();
    return look;
  }
  look.memory = facts->memory;
  look.maybe_encrypted = facts->encrypted;
  look.reason = facts->obstacle;
  look.candidate.told =
      told && told->device_number == target.device_number && told->header_page == target.header_page;
  if (look.reason.empty() && !target.swap_file.empty() && !look.candidate.told)
    look.reason = not_found_at_boot(target);
  if (look.reason.empty()) look.reason = look_at_header(target, place->area_bytes, page_bytes, host);
  look.candidate.free_bytes = swap.size_bytes - std::min(swap.size_bytes, swap.used_bytes);
  if (look.reason.empty() && look.candidate.free_bytes == 0)
    look.reason = fmt::format("it is full: all of its {} bytes are in use", swap.size_bytes);
  return look;
}

}  // namespace

Candidates sort_candidates(const std::vector<ActiveSwap>& swaps, const SearchOptions& options,
                           const Host& host) {
  std::vector<Look> looks;
  std::string encrypted;
  const auto told = told_place(host);
  for (const ActiveSwap& swap : swaps) {
    looks.push_back(look_at(swap, told, options, host));
    if (!looks.back().memory && looks.back().maybe_encrypted && encrypted.empty()) encrypted = swap.path;
  }
  Candidates sorted;
  for (std::size_t i = 0; i < swaps.size(); ++i) {
    Look& look = looks[i];
    if (look.reason.empty() && !look.maybe_encrypted && !encrypted.empty() && !options.sealed_image) {
      look.reason = fmt::format(
          "it is in the clear, and {} is (or may be) encrypted: seal the image (--encrypt), or name this "
          "area with "
          "--resume-device",
          encrypted);
    }
    if (look.reason.empty()) {
      sorted.usable.push_back(std::move(look.candidate));
    } else {
      sorted.passed_over.push_back({.path = swaps[i].path, .reason = std::move(look.reason)});
    }
  }
  return sorted;
}

}  // namespace dormouse
