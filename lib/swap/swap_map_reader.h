/// Follows the swap map of an image, trusting nothing in it.
#pragma once

#include <cstdint>
#include <vector>

#include "dormouse/block_device.h"
#include "dormouse/error.h"

#include "base/aligned_buffer.h"
#include "format/image_header.h"
#include "format/swap_map_page.h"

namespace dormouse {

/// Where extents may lie: pages of the block device, and never the swap header page.
struct SwapBounds {
  std::uint64_t end_page = 0;
  std::uint64_t header_page = 0;
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

/// Every count and offset is checked before it is used; the number of map pages read is bounded by the image
/// header. One thread; only prepare() allocates.
class SwapMapReader {
 public:
  static Result<SwapMapReader> prepare();

  /// `device` and `header` (validated by decode_image_header) must live until the end.
  Result<void> begin(BlockDevice& device, const ImageHeader& header, const SwapBounds& bounds);

  /// The next chunk; false once the closing record has been reached and has confirmed that the image is
  /// whole. kCorrupt names map page, chunk, page range and device offset.
  Result<bool> next(ChunkPlacement& placement);

 private:
  explicit SwapMapReader(AlignedBuffer page) : page_(std::move(page)) {}
  Result<void> load(std::uint64_t page);
  Result<MapRecord> next_record();
  [[nodiscard]] Error on_device(Error error) const;
  Result<void> check_chunk(const ChunkHeader& chunk) const;
  Result<void> add_extents(ChunkPlacement& placement, std::span<const PackedExtent> extents,
                           std::uint64_t& missing);
  Result<bool> check_closing(const ClosingRecord& closing);

  AlignedBuffer page_;
  BlockDevice* device_ = nullptr;
  const ImageHeader* header_ = nullptr;
  SwapBounds bounds_;
  MapPageCursor cursor_;
  DeviceOffset map_page_at_{};
  std::uint64_t map_pages_ = 0;  // loaded so far
  std::uint64_t chunks_ = 0;
  std::uint64_t stored_pages_ = 0;
  DigestState digest_;
};

}  // namespace dormouse
