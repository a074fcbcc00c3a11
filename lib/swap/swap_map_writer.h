/// Writes the swap map as the chunks are placed.
#pragma once

#include <cstdint>
#include <span>

#include "dormouse/block_device.h"
#include "dormouse/error.h"
#include "dormouse/swap_allocator.h"

#include "base/aligned_buffer.h"
#include "format/swap_map_page.h"
#include "seal/sha256.h"

namespace dormouse {

/// What the image header repeats of a finished map.
struct SwapMapSummary {
  std::uint64_t first_page = 0;
  std::uint64_t map_pages = 0;
  std::uint64_t chunk_count = 0;
  std::uint64_t chunk_stored_pages = 0;
  Digest chunk_digest{};
  Sha256Digest map_digest{};  ///< of a sealed image
};

/// A map page is stored as soon as the place of the next one is known, so memory is one page however large
/// the image. Nothing on the device leads to the map before the mark. One thread; only prepare() allocates.
class SwapMapWriter {
 public:
  static Result<SwapMapWriter> prepare(std::uint32_t page_bytes);

  /// Starts a map. `device` and `allocator` must live until finish(), and so must `sha256`, which digests the
  /// map pages of a sealed image.
  Result<void> begin(BlockDevice& device, SwapAllocator& allocator, const ImageId& id,
                     Sha256* sha256 = nullptr);
  /// Appends a chunk. `header.extent_count` is filled in here. Requires: extents are not empty.
  Result<void> add(ChunkHeader header, std::span<const Extent> extents);
  /// Appends the closing record and stores the last map page.
  Result<SwapMapSummary> finish(std::uint64_t image_pages);

 private:
  explicit SwapMapWriter(AlignedBuffer page) : page_(std::move(page)), builder_(page_.span()) {}
  Result<void> turn_page();
  Result<void> store(std::uint64_t next_page);

  AlignedBuffer page_;
  MapPageBuilder builder_;
  BlockDevice* device_ = nullptr;
  SwapAllocator* allocator_ = nullptr;
  Sha256* sha256_ = nullptr;
  ImageId id_{};
  std::uint64_t current_page_ = 0;
  SwapMapSummary summary_;
  DigestState digest_;
};

}  // namespace dormouse
