#include "area/btrfs_place.h"

#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>
#include <linux/fs.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "area/file_extents.h"
#include "kernel/device_number.h"

namespace dormouse {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
constexpr std::string_view kRemake =
    "make it anew with 'btrfs filesystem mkswapfile', or: truncate -s 0, chattr +C, fallocate, mkswap";

Result<void> check_attributes(const ProbedFile& file) {
  // The kernel writes an int, whatever the type in the request says.
  int flags = 0;
  if (auto r = file.ask("FS_IOC_GETFLAGS", FS_IOC_GETFLAGS, flags); !r) return r;
  const auto attributes = static_cast<unsigned>(flags);
  if ((attributes & FS_COMPR_FL) != 0)
    return refuse(file.path).because("btrfs compresses it, and no kernel swaps on that: {}", kRemake);
  if ((attributes & FS_NOCOW_FL) == 0) {
    return refuse(file.path).because(
        "btrfs copies it on each write (it has not the attribute C), and no kernel "
        "swaps on that: {}",
        kRemake);
  }
  return {};
}

struct TreeRange {
  std::uint64_t tree;
  std::uint64_t object;
  std::uint32_t type;
};

/// Hands every item of one object and type to `take`, until that returns false or an error.
template <class Take>
Result<void> search(const ProbedFile& file, const TreeRange& range, Take take) {
  btrfs_ioctl_search_args args{};
  for (std::uint64_t from = 0;;) {
    const std::uint64_t begun_at = from;
    args.key = {};
    args.key.tree_id = range.tree;
    args.key.min_objectid = args.key.max_objectid = range.object;
    args.key.min_type = args.key.max_type = range.type;
    args.key.min_offset = from;
    args.key.max_offset = args.key.max_transid = kMax;
    args.key.nr_items = std::numeric_limits<std::uint32_t>::max();
    if (auto r = file.ask("BTRFS_IOC_TREE_SEARCH", BTRFS_IOC_TREE_SEARCH, args); !r) return r;
    if (args.key.nr_items == 0) return {};
    const auto items = decode_btrfs_answer(std::as_bytes(std::span(args.buf)), args.key.nr_items);
    if (!items) return std::unexpected(items.error());
    for (const BtrfsItem& item : *items) {
      if (item.object != range.object || item.type != range.type || item.offset < from) continue;
      const Result<bool> more = take(item);
      if (!more) return std::unexpected(more.error());
      if (!*more || item.offset == kMax) return {};
      from = item.offset + 1;
    }
    // What does not lead on would be asked for for ever.
    if (from == begun_at) return {};
  }
}

Result<std::uint64_t> subvolume_of(const ProbedFile& file) {
  btrfs_ioctl_ino_lookup_args args{};
  args.objectid = BTRFS_FIRST_FREE_OBJECTID;
  if (auto r = file.ask("BTRFS_IOC_INO_LOOKUP", BTRFS_IOC_INO_LOOKUP, args); !r)
    return std::unexpected(r.error());
  return args.treeid;
}

Result<std::vector<BtrfsChunk>> read_chunks(const ProbedFile& file) {
  std::vector<BtrfsChunk> chunks;
  const TreeRange range{BTRFS_CHUNK_TREE_OBJECTID, BTRFS_FIRST_CHUNK_TREE_OBJECTID, BTRFS_CHUNK_ITEM_KEY};
  const auto take = [&](const BtrfsItem& item) -> Result<bool> {
    const auto chunk = decode_btrfs_chunk(item);
    if (!chunk) return std::unexpected(chunk.error());
    chunks.push_back(*chunk);
    return true;
  };
  if (auto r = search(file, range, take); !r) return std::unexpected(r.error());
  return chunks;
}

Result<void> check_kind(const BtrfsFileExtent& extent, const std::string& path) {
  switch (extent.kind) {
    case BtrfsExtentKind::kPlaced:
      return {};
    case BtrfsExtentKind::kHole:
      return refuse(path)
          .at(extent.file_at)
          .because("there is a hole, and no kernel swaps on a file with holes: {}", kRemake);
    case BtrfsExtentKind::kInline:
      return refuse(path)
          .at(extent.file_at)
          .because("its data lies among the metadata of btrfs: {}", kRemake);
    case BtrfsExtentKind::kEncoded:
      return refuse(path)
          .at(extent.file_at)
          .because("its data is compressed or otherwise encoded, and no kernel swaps on that: {}", kRemake);
  }
  return {};
}

/// Adds up the extents of one file.
class Walk {
 public:
  Walk(const ProbedFile& file, const std::vector<BtrfsChunk>& chunks)
      : path_(file.path), chunks_(chunks), check_(file.path, file.size_bytes, file.page_bytes) {}

  /// False once the file is complete.
  Result<bool> take(const BtrfsItem& item) {
    auto extent = decode_btrfs_file_extent(item);
    if (!extent) return std::unexpected(extent.error());
    if (auto r = check_kind(*extent, path_); !r) return std::unexpected(r.error());
    do {
      const auto stretch = find_btrfs_stretch(chunks_, *extent, path_);
      if (!stretch) return std::unexpected(stretch.error());
      if (device_id_ && *device_id_ != stretch->device_id) {
        return refuse(path_)
            .at(extent->file_at)
            .because(
                "it goes on from device {} of this btrfs to device {}, and no kernel swaps on that: make "
                "the swap file anew, smaller, or on a file system of one device",
                *device_id_, stretch->device_id);
      }
      device_id_ = stretch->device_id;
      const FileExtent piece{
          .file_at = extent->file_at, .device_at = stretch->physical, .bytes = stretch->bytes};
      if (auto r = check_.add(piece); !r) return std::unexpected(r.error());
      extent->file_at += stretch->bytes;
      extent->logical += stretch->bytes;
      extent->bytes -= stretch->bytes;
    } while (extent->bytes > 0);
    return !check_.complete();
  }
  [[nodiscard]] Result<FileLayout> finish() const { return check_.finish(); }
  /// Requires: finish() has succeeded.
  [[nodiscard]] std::uint64_t device_id() const { return device_id_.value_or(0); }

 private:
  const std::string& path_;
  const std::vector<BtrfsChunk>& chunks_;
  FileLayoutCheck check_;
  std::optional<std::uint64_t> device_id_;
};

Result<std::string> device_path(const ProbedFile& file, std::uint64_t device_id) {
  btrfs_ioctl_dev_info_args args{};
  args.devid = device_id;
  if (auto r = file.ask("BTRFS_IOC_DEV_INFO", BTRFS_IOC_DEV_INFO, args); !r)
    return std::unexpected(r.error());
  const auto* begin = reinterpret_cast<const char*>(args.path);
  const std::string path(begin, std::find(begin, begin + sizeof args.path, '\0'));
  if (path.empty()) {
    return refuse(file.path).because(
        "device {} of its btrfs is missing: connect it, or make the swap file anew on another", device_id);
  }
  return path;
}

}  // namespace

Result<BtrfsStretch> find_btrfs_stretch(std::span<const BtrfsChunk> chunks, const BtrfsFileExtent& extent,
                                        const std::string& path) {
  const auto holds = [&](const BtrfsChunk& chunk) {
    return extent.logical >= chunk.logical && extent.logical - chunk.logical < chunk.bytes;
  };
  const auto chunk = std::ranges::find_if(chunks, holds);
  if (chunk == chunks.end()) {
    return fail(Errc::kIo, kLocate)
        .on(path)
        .at(extent.file_at)
        .because(
            "btrfs has it at address {}, and no chunk there: is a balance running? Try again when that has "
            "ended",
            extent.logical);
  }
  if ((chunk->type & BTRFS_BLOCK_GROUP_PROFILE_MASK) != 0 || chunk->stripes != 1) {
    return refuse(path)
        .at(extent.file_at)
        .because(
            "btrfs keeps it in copies or stripes ({} of them), and no kernel swaps on that: convert the "
            "data to the profile single (btrfs balance start -dconvert=single), or make the swap file on "
            "another file system",
            chunk->stripes);
  }
  const std::uint64_t inside = extent.logical - chunk->logical;
  return BtrfsStretch{.device_id = chunk->device_id,
                      .physical = chunk->physical + inside,
                      .bytes = std::min(extent.bytes, chunk->bytes - inside)};
}

Result<BtrfsPlace> read_btrfs_place(const ProbedFile& file) {
  if (auto r = check_attributes(file); !r) return std::unexpected(r.error());
  // The addresses are btrfs's own, but it writes the file out first, and says what is shared or missing.
  if (auto r = read_file_layout(file); !r) return std::unexpected(r.error());
  const auto subvolume = subvolume_of(file);
  if (!subvolume) return std::unexpected(subvolume.error());
  const auto chunks = read_chunks(file);
  if (!chunks) return std::unexpected(chunks.error());
  Walk walk(file, *chunks);
  const TreeRange range{*subvolume, file.inode, BTRFS_EXTENT_DATA_KEY};
  if (auto r = search(file, range, [&](const BtrfsItem& item) { return walk.take(item); }); !r)
    return std::unexpected(r.error());
  const auto layout = walk.finish();
  if (!layout) return std::unexpected(layout.error());
  auto path = device_path(file, walk.device_id());
  if (!path) return std::unexpected(path.error());
  const auto number = block_device_number(*path);
  if (!number) return std::unexpected(number.error());
  return BtrfsPlace{.layout = *layout, .device_path = std::move(*path), .device_number = *number};
}

}  // namespace dormouse
