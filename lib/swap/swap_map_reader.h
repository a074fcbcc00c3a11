/// Follows the swap map of an image, trusting nothing in it.
#pragma once

#include <cstdint>
#include <vector>

#include "dormouse/block_device.h"
#include "dormouse/error.h"

#include "base/aligned_buffer.h"
#include "format/image_header.h"
#include "format/swap_map_page.h"
#include "seal/sha256.h"

namespace dormouse {

/// Where map pages and extents may lie: pages of the block device, and never over either header.
struct SwapBounds {
  std::uint64_t end_page = 0;
  std::uint64_t header_page = 0;   ///< the swap header's
  DeviceOffset image_header_at{};  ///< also what messages name where a link in it is wrong
};

/// One chunk and its place. `extents` has room for the worst case from the start, so filling it allocates
/// nothing.
struct ChunkPlacement {
  ChunkHeader header;
  std::vector<Extent> extents;
  ChunkPlacement() { extents.reserve(kMaxChunkPages); }
  [[nodiscard]] std::uint64_t stored_pages(std::uint32_t page_bytes) const {
    return divide_up(header.packed_bytes, page_bytes);
  }
};

/// Every count and offset is checked before it is used. What is read, and what the chunks say is to be read,
/// is in all never more than the stored pages that the image header states, whatever the map says. Extents
/// may lie over one another or over the map: a chunk's checksums say whether that is its data (FORMAT.md,
/// "Extents"). One thread; only prepare() allocates.
class SwapMapReader {
 public:
  static Result<SwapMapReader> prepare();

  /// `device` and `header` (validated by decode_image_header) must live until the end, and so must `sha256`,
  /// which digests the map pages. Requires: `sha256` is given where the image is sealed.
  Result<void> begin(BlockDevice& device, const ImageHeader& header, const SwapBounds& bounds,
                     Sha256* sha256 = nullptr);

  /// The next chunk; false once the closing record has been reached and has confirmed that the image is
  /// whole; of a sealed image also that the map is the one that its header knows. kCorrupt names chunk, page
  /// range and device offset; where the map itself is damaged, the map page and all chunks that cannot be
  /// found any more.
  Result<bool> next(ChunkPlacement& placement);

 private:
  explicit SwapMapReader(AlignedBuffer page) : page_(std::move(page)) {}
  Result<void> load(std::uint64_t page);
  Result<MapRecord> next_record();
  [[nodiscard]] Error map_lost(Error error) const;
  [[nodiscard]] InlineText<96> chunk_due() const;
  [[nodiscard]] bool is_outside(const Extent& extent) const;
  Result<void> check_chunk(const ChunkHeader& chunk) const;
  Result<void> check_room(const ChunkPlacement& placement) const;
  Result<void> add_extents(ChunkPlacement& placement, std::span<const PackedExtent> extents,
                           std::uint64_t& missing);
  Result<bool> check_closing(const ClosingRecord& closing);

  AlignedBuffer page_;
  BlockDevice* device_ = nullptr;
  const ImageHeader* header_ = nullptr;
  Sha256* sha256_ = nullptr;
  SwapBounds bounds_;
  MapPageCursor cursor_;
  DeviceOffset map_page_at_{};
  std::uint64_t map_pages_ = 0;  // loaded so far
  std::uint64_t chunks_ = 0;
  std::uint64_t stored_pages_ = 0;
  DigestState digest_;
};

}  // namespace dormouse
