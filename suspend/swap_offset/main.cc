/// swap-offset: where the swap header of a swap file lies on its block device.
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "dormouse/swap_area.h"

#include "area/swap_file.h"
#include "device_tags.h"
#include "io/posix_block_device.h"
#include "kernel/snapshot_file.h"
#include "place_text.h"
#include "swap_offset_options.h"

namespace {

using namespace dormouse;

void say(const std::string& text) {
  std::fputs(fmt::format("swap-offset: {}\n", text).c_str(), stderr);
}

/// A whole block device: its area begins at 0, if there is one yet.
Result<SwapFilePlace> block_device_place(const std::string& path) {
  const auto device = PosixBlockDevice::open(path, {.io = IoMode::kDirect, .access = Access::kReadOnly});
  if (!device) return std::unexpected(device.error());
  if (const auto area = SwapArea::open(**device, DeviceOffset{0}); !area)
    say(fmt::format("warning: {}", area.error().what()));
  return SwapFilePlace{.file = {},
                       .device_path = path,
                       .device_number = (*device)->device_number(),
                       .size_bytes = (*device)->size_bytes(),
                       .extents = 1,
                       .file_system = {}};
}

Result<KnownPlace> know(const SwapOffsetOptions& options) {
  struct stat status{};
  const bool device = ::stat(options.path.c_str(), &status) == 0 && S_ISBLK(status.st_mode);
  KnownPlace known;
  known.page_bytes = system_page_bytes();
  auto place = device ? block_device_place(options.path) : locate_swap_file(options.path, known.page_bytes);
  if (!place) return std::unexpected(place.error());
  known.place = std::move(*place);
  if (options.format == PlaceFormat::kText) return known;
  known.tags = device_tags(known.place.device_path);
  // Every device of a btrfs carries its UUID; elsewhere one file system is on one device.
  known.uuid_shared = known.place.file_system == "btrfs" && !known.tags.uuid.empty() &&
                      uuid_is_shared(known.place.device_path, known.tags.uuid);
  return known;
}

Result<std::string> text_of(const SwapOffsetOptions& options) {
  if (options.action == SwapOffsetAction::kHelp) return std::string(swap_offset_help());
  if (options.action == SwapOffsetAction::kVersion)
    return fmt::format("swap-offset (dormouse) {}\n", DORMOUSE_VERSION);
  const auto known = know(options);
  if (!known) return std::unexpected(known.error());
  return place_text(*known, options.format);
}

Result<void> print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return {};
  return fail(Errc::kIo, "write").on("standard output").os(errno);
}

Result<void> swap_offset(int argc, char** argv) {
  const auto options = parse_swap_offset(argc, argv);
  if (!options) return std::unexpected(options.error());
  const auto text = text_of(*options);
  if (!text) return std::unexpected(text.error());
  return print(*text);
}

}  // namespace

int main(int argc, char** argv) {
  const auto done = swap_offset(argc, argv);
  if (done) return 0;
  say(done.error().what());
  return exit_code(done.error().code);
}
