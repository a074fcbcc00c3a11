/// What btrfs's search in its trees returns, decoded: pure, and nothing in it is believed unchecked.
/// Layout of the records: kernel header linux/btrfs_tree.h; the way: kernel-facts D.7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dormouse/error.h"

namespace dormouse {

/// One item of a tree; `data` points into the answer.
struct BtrfsItem {
  std::uint64_t object = 0;
  std::uint64_t offset = 0;
  std::uint32_t type = 0;
  std::span<const std::byte> data;
};

/// A range of logical addresses, and where the first copy of it lies.
struct BtrfsChunk {
  std::uint64_t logical = 0;
  std::uint64_t bytes = 0;
  std::uint64_t type = 0;  ///< BTRFS_BLOCK_GROUP_*
  std::uint32_t stripes = 0;
  std::uint64_t device_id = 0;  ///< of the first stripe
  std::uint64_t physical = 0;   ///< byte of that device
};

enum class BtrfsExtentKind : std::uint8_t { kPlaced, kInline, kHole, kEncoded };

struct BtrfsFileExtent {
  std::uint64_t file_at = 0;
  BtrfsExtentKind kind = BtrfsExtentKind::kPlaced;
  std::uint64_t logical = 0;  ///< with the inner offset: where the data of file_at is
  std::uint64_t bytes = 0;
};

/// Splits the answer of BTRFS_IOC_TREE_SEARCH. kIo where `count` items do not fit into it.
Result<std::vector<BtrfsItem>> decode_btrfs_answer(std::span<const std::byte> answer, std::uint32_t count);

/// kIo for what is too short, or has no stripe.
Result<BtrfsChunk> decode_btrfs_chunk(const BtrfsItem& item);
Result<BtrfsFileExtent> decode_btrfs_file_extent(const BtrfsItem& item);

}  // namespace dormouse
