/// The oracle of the image writer and reader: one thread, page by page, slow and simple.
///
/// Written from FORMAT.md alone: it shares no record, no bound and no loop with lib/, only the codecs,
/// XXH3 and libgcrypt. Every page gets an extent of its own, so even small images spill their extents over
/// the swap map.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dormouse/codec.h"

#include "image/reference_seal.h"
#include "io/memory_block_device.h"

namespace dormouse::test {

struct ReferenceSettings {
  std::uint32_t page_bytes = 4096;
  std::uint32_t chunk_pages = 4;
  /// Chunk n is packed with codecs[n % size]; it is stored where that saves no page.
  std::vector<CodecSpec> codecs = {{.id = CodecId::kStored, .level = 0}};
  std::array<std::byte, 16> image_id = {};
  std::uint64_t created_unix_seconds = 0;
  std::uint64_t size_cap_bytes = 0;
  std::array<std::byte, 16> area_uuid = {};
  std::uint64_t area_header_page = 0;
  std::array<std::byte, 28> original_tail = {};
  std::uint64_t ram_bytes = 0;
  std::string architecture = "x86_64";
  std::string kernel_release = "6.1.0-test";
  std::string host = "testhost";
  std::string writer = "reference";
  std::optional<ReferenceSealing> sealing = {};
  std::vector<std::uint64_t> places =
      {};  ///< pages of the device to use, in this order: the first is the image header's
};

/// Returns the byte offset of the image header. Throws std::out_of_range where `places` run out.
std::uint64_t write_reference_image(std::span<const std::byte> image, const ReferenceSettings& settings,
                                    MemoryBlockDevice& device);

/// Puts the mark for an image header at `header_offset` into the swap header page at `area_offset`.
void mark_reference_area(MemoryBlockDevice& device, std::uint64_t area_offset, std::uint32_t page_bytes,
                         std::uint64_t header_offset);

/// The recovered stream. A sealed image is opened with its first slot and `secret`, of which passphrase and
/// raw key are looked at. Throws std::runtime_error naming the first thing that breaks FORMAT.md.
std::vector<std::byte> read_reference_image(const MemoryBlockDevice& device, std::uint64_t header_offset,
                                            const ReferenceWay& secret = {});

}  // namespace dormouse::test
