#include "area/file_layout.h"

#include <linux/fiemap.h>

#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "area/probed_file.h"

namespace dormouse {
namespace {

struct Obstacle {
  std::uint32_t flags;
  std::string_view reason;
};

// What swapon refuses, or what has no place on the device that the kernel could read the header at. The
// pieces that fallocate() makes are not written yet (UNWRITTEN), but have their place: they will do. The
// special cases come before the general ones that the kernel reports beside them.
constexpr std::array kObstacles = std::to_array<Obstacle>({
    {FIEMAP_EXTENT_DATA_ENCRYPTED,
     "the file system encrypts it: make the swap file in a directory without encryption"},
    {FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_DATA_TAIL,
     "its data lies among the metadata of the file system: make the swap file anew, larger, with fallocate "
     "and mkswap"},
    {FIEMAP_EXTENT_ENCODED,
     "its data is compressed or otherwise encoded: make the swap file anew without compression (chattr +m, "
     "on "
     "btrfs +C, on the empty file)"},
    {FIEMAP_EXTENT_SHARED,
     "another file or a snapshot shares its data, and no kernel swaps on that: remove the copy, or make the "
     "swap file anew with fallocate and mkswap"},
    {FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC,
     "the file system has not given it a place yet: run sync and try again; if that does not help make the "
     "swap file anew with fallocate and mkswap"},
    {FIEMAP_EXTENT_NOT_ALIGNED,
     "its data does not lie on whole blocks: make the swap file anew with fallocate and mkswap"},
});

}  // namespace

FileLayoutCheck::FileLayoutCheck(std::string path, std::uint64_t file_bytes, std::uint32_t page_bytes)
    : path_(std::move(path)), wanted_(file_bytes - file_bytes % page_bytes), page_bytes_(page_bytes) {}

Result<void> FileLayoutCheck::add(const FileExtent& extent) {
  constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
  if (extent.bytes == 0 || extent.bytes > kMax - extent.file_at || extent.bytes > kMax - extent.device_at ||
      extent.file_at < next_) {
    return fail(Errc::kIo, kLocate)
        .on(path_)
        .at(next_)
        .because(
            "the file system answers with a piece of {} bytes from byte {} on, which cannot be: is the file "
            "being changed? Try again when that has ended",
            extent.bytes, extent.file_at);
  }
  if (extent.file_at > next_) return hole();
  if (auto r = check_flags(extent); !r) return r;
  if (layout_.extents == 0 || extent.device_at != device_next_) ++layout_.extents;
  if (next_ == 0) layout_.start = extent.device_at;
  if (layout_.extents == 1) layout_.first_run_bytes += extent.bytes;
  next_ = extent.file_at + extent.bytes;
  device_next_ = extent.device_at + extent.bytes;
  return {};
}

Result<FileLayout> FileLayoutCheck::finish() const {
  if (!complete()) return hole();
  if (layout_.extents == 0) {
    return refuse(path_).because(
        "it is smaller than a page of {} bytes: make the swap file with fallocate and mkswap", page_bytes_);
  }
  if (layout_.start % page_bytes_ != 0 || layout_.first_run_bytes < page_bytes_) {
    return refuse(path_).at(0).because(
        "its first page lies at byte {} of the device, {} bytes of it in one piece, and that is no page of "
        "{} "
        "bytes: no kernel would find the swap header. Make the swap file anew, or on a file system with "
        "blocks "
        "of {} bytes",
        layout_.start, layout_.first_run_bytes, page_bytes_, page_bytes_);
  }
  return layout_;
}

Result<void> FileLayoutCheck::check_flags(const FileExtent& extent) const {
  for (const auto& obstacle : kObstacles) {
    if ((extent.flags & obstacle.flags) != 0) {
      return refuse(path_).at(extent.file_at).because("{}", obstacle.reason);
    }
  }
  return {};
}

Failure FileLayoutCheck::hole() const {
  return refuse(path_).at(next_).because(
      "there is a hole, and no kernel swaps on a file with holes: fill it (fallocate -l {} FILE), or make "
      "the "
      "swap file anew; then mkswap",
      wanted_);
}

}  // namespace dormouse
