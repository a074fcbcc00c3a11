#include "area/btrfs_records.h"

#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>

#include <cstring>
#include <limits>
#include <string_view>

#include "base/little_endian.h"

namespace dormouse {
namespace {

constexpr std::size_t kInlineHead = offsetof(btrfs_file_extent_item, disk_bytenr);

// The kernel's structures are little-endian on disk; the header of a search result is the machine's own.
template <class T>
T field(std::span<const std::byte> data, std::size_t offset) {
  T value;
  std::memcpy(&value, data.data() + offset, sizeof value);
  return value;
}

Failure bad_answer() {
  return fail(Errc::kIo, "read btrfs tree");
}

/// Whether the range ends beyond what 64 bits hold.
bool overflows(std::uint64_t start, std::uint64_t bytes) {
  return bytes > std::numeric_limits<std::uint64_t>::max() - start;
}

}  // namespace

Result<std::vector<BtrfsItem>> decode_btrfs_answer(std::span<const std::byte> answer, std::uint32_t count) {
  std::vector<BtrfsItem> items;
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    btrfs_ioctl_search_header head{};
    if (answer.size() - at < sizeof head) {
      return bad_answer().because("item {} of {} begins at byte {} of an answer of {}; please report it", i,
                                  count, at, answer.size());
    }
    std::memcpy(&head, answer.data() + at, sizeof head);
    at += sizeof head;
    if (head.len > answer.size() - at) {
      return bad_answer().because("item {} of {} has {} bytes, {} are left in the answer; please report it",
                                  i, count, std::uint32_t{head.len}, answer.size() - at);
    }
    items.push_back({.object = head.objectid,
                     .offset = head.offset,
                     .type = head.type,
                     .data = answer.subspan(at, head.len)});
    at += head.len;
  }
  return items;
}

Result<BtrfsChunk> decode_btrfs_chunk(const BtrfsItem& item) {
  // The structure holds the first stripe.
  if (item.data.size() < sizeof(btrfs_chunk)) {
    return bad_answer().because("the chunk at {} has {} bytes, {} are the least; please report it",
                                item.offset, item.data.size(), sizeof(btrfs_chunk));
  }
  constexpr std::size_t kStripe = offsetof(btrfs_chunk, stripe);
  const BtrfsChunk chunk{
      .logical = item.offset,
      .bytes = field<Le64>(item.data, offsetof(btrfs_chunk, length)),
      .type = field<Le64>(item.data, offsetof(btrfs_chunk, type)),
      .stripes = field<Le16>(item.data, offsetof(btrfs_chunk, num_stripes)),
      .device_id = field<Le64>(item.data, kStripe + offsetof(btrfs_stripe, devid)),
      .physical = field<Le64>(item.data, kStripe + offsetof(btrfs_stripe, offset)),
  };
  if (chunk.stripes == 0 || chunk.bytes == 0 || overflows(chunk.logical, chunk.bytes) ||
      overflows(chunk.physical, chunk.bytes)) {
    return bad_answer().because(
        "the chunk at {} has {} bytes in {} stripes, the first at {}; run btrfs check", chunk.logical,
        chunk.bytes, chunk.stripes, chunk.physical);
  }
  return chunk;
}

Result<BtrfsFileExtent> decode_btrfs_file_extent(const BtrfsItem& item) {
  if (item.data.size() < kInlineHead) {
    return bad_answer().because(
        "the extent at byte {} of the file has {} bytes, {} are the least; please "
        "report it",
        item.offset, item.data.size(), kInlineHead);
  }
  BtrfsFileExtent extent{.file_at = item.offset};
  const auto type = field<std::uint8_t>(item.data, offsetof(btrfs_file_extent_item, type));
  const bool encoded = field<std::uint8_t>(item.data, offsetof(btrfs_file_extent_item, compression)) != 0 ||
                       field<std::uint8_t>(item.data, offsetof(btrfs_file_extent_item, encryption)) != 0 ||
                       field<std::uint16_t>(item.data, offsetof(btrfs_file_extent_item, other_encoding)) != 0;
  if (type == BTRFS_FILE_EXTENT_INLINE) {
    extent.kind = BtrfsExtentKind::kInline;
    extent.bytes = field<Le64>(item.data, offsetof(btrfs_file_extent_item, ram_bytes));
    return extent;
  }
  if (type != BTRFS_FILE_EXTENT_REG && type != BTRFS_FILE_EXTENT_PREALLOC) {
    return bad_answer().because(
        "the extent at byte {} of the file is of the unknown type {}; this dormouse "
        "is too old for it",
        item.offset, type);
  }
  if (item.data.size() < sizeof(btrfs_file_extent_item)) {
    return bad_answer().because(
        "the extent at byte {} of the file has {} bytes, {} are needed; please report "
        "it",
        item.offset, item.data.size(), sizeof(btrfs_file_extent_item));
  }
  const std::uint64_t disk = field<Le64>(item.data, offsetof(btrfs_file_extent_item, disk_bytenr));
  const std::uint64_t inner = field<Le64>(item.data, offsetof(btrfs_file_extent_item, offset));
  extent.bytes = field<Le64>(item.data, offsetof(btrfs_file_extent_item, num_bytes));
  if (disk == 0) {
    extent.kind = BtrfsExtentKind::kHole;
    return extent;
  }
  if (encoded) extent.kind = BtrfsExtentKind::kEncoded;
  // The data of the file may begin inside of an extent that was larger, or was split, once.
  if (overflows(disk, inner) || overflows(disk + inner, extent.bytes)) {
    return bad_answer().because("the extent at byte {} of the file begins at {} + {}; run btrfs check",
                                item.offset, disk, inner);
  }
  extent.logical = disk + inner;
  return extent;
}

}  // namespace dormouse
