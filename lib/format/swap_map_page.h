/// Swap map pages: linked pages of records that say what each chunk is and where it lies.
/// Normative text: FORMAT.md, "Swap map page", "Chunk header", "Closing record".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "dormouse/error.h"
#include "dormouse/units.h"

#include "base/little_endian.h"
#include "format/checksum.h"
#include "format/image_header.h"

namespace dormouse {

inline constexpr std::array<char, 8> kMapMagic = {'D', 'M', 'S', 'W', 'A', 'P', 'M', 'P'};

/// Starts every map page; records follow, the rest of the page is zero.
struct MapPageHeader {
  std::array<char, 8> magic = kMapMagic;
  ImageId image_id{};
  Le64 index;       ///< 0 for the first map page, then 1, 2 ...: a loop or a lost page is seen
  Le64 next_page;   ///< page index on the block device, 0 in the last map page
  Le32 used_bytes;  ///< of records, behind this header
  Le32 reserved_1;
  Le64 reserved_2;
  Le64 checksum;  ///< XXH3-64 over the page with this field zero
};
static_assert(sizeof(MapPageHeader) == 64 && alignof(MapPageHeader) == 1);

enum class RecordType : std::uint16_t { kChunk = 1, kExtents = 2, kClosing = 3 };

/// A contiguous run on the block device: bits 0..43 its first page, bits 44..63 its length in pages, 1 or
/// more.
using PackedExtent = Le64;
inline constexpr std::uint64_t kMaxExtentPages = (std::uint64_t{1} << 20) - 1;
inline constexpr std::uint64_t kMaxDevicePages = std::uint64_t{1} << 44;
PackedExtent pack_extent(const Extent& extent);
Extent unpack_extent(PackedExtent packed);

/// What one chunk is; its extents follow, in this record and in kExtents records behind it.
struct ChunkHeader {
  Le16 type = static_cast<std::uint16_t>(RecordType::kChunk);
  Le16 extent_count;       ///< extents behind this header in this record
  std::uint8_t codec = 0;  ///< CodecId
  std::uint8_t flags = 0;  ///< zero
  Le16 reserved;
  Le64 number;        ///< 0, 1, 2 ...
  Le64 first_page;    ///< page range of the snapshot stream: number x chunk_pages
  Le32 pages;         ///< chunk_pages, fewer only in the last chunk
  Le32 packed_bytes;  ///< stored bytes without the zeros that fill the last page
  Le64 stored_xxh3;   ///< XXH3-64 over the stored pages, the zeros included
  Le64 pages_xxh3;    ///< XXH3-64 over the unpacked pages
};
static_assert(sizeof(ChunkHeader) == 48 && alignof(ChunkHeader) == 1);

/// In a sealed image the tag of the chunk takes the place of both checksums.
using ChunkTag = std::array<std::byte, 16>;
ChunkTag get_tag(const ChunkHeader& header);
void put_tag(ChunkHeader& header, const ChunkTag& tag);
/// What is authenticated with the chunk: the image id, and the header up to the tag with `extent_count` zero.
using ChunkAssociated = std::array<std::byte, 48>;
ChunkAssociated associated_data(const ImageId& id, ChunkHeader header);

/// More extents of the chunk before.
struct ExtentsRecord {
  Le16 type = static_cast<std::uint16_t>(RecordType::kExtents);
  Le16 extent_count;
  Le32 reserved;
};
static_assert(sizeof(ExtentsRecord) == 8);

/// The last record of the last map page: the image is whole.
struct ClosingRecord {
  Le16 type = static_cast<std::uint16_t>(RecordType::kClosing);
  Le16 reserved_1;
  Le32 reserved_2;
  Le64 chunk_count;
  Le64 image_pages;
  Le64 stored_pages;  ///< of all chunks together
  Le64 map_pages;
  Digest chunk_digest{};  ///< XXH3-128 over all chunk headers in order
  Le64 reserved_3;
};
static_assert(sizeof(ClosingRecord) == 64);

/// Fills one map page, record by record. Owns no memory. One thread.
class MapPageBuilder {
 public:
  /// Requires: `page` is a whole page and outlives the builder.
  explicit MapPageBuilder(std::span<std::byte> page) : page_(page) {}
  void begin(const ImageId& id, std::uint64_t index);
  [[nodiscard]] std::size_t room() const { return page_.size() - sizeof(MapPageHeader) - used_; }
  /// Requires: the record fits into room().
  void add(std::span<const std::byte> record, std::span<const PackedExtent> extents = {});
  /// Writes link and checksum; the page is then ready to be stored.
  void seal(std::uint64_t next_page);

 private:
  std::span<std::byte> page_;
  std::size_t used_ = 0;
  MapPageHeader header_;
};

/// What was found at one place of a map page; `extents` point into the page.
struct MapRecord {
  std::variant<ChunkHeader, ExtentsRecord, ClosingRecord> record;
  std::span<const PackedExtent> extents;
};

/// Walks the records of one validated map page. Owns no memory. One thread.
class MapPageCursor {
 public:
  /// Checks magic, image id, index, checksum, and that the unused rest is zero. kCorrupt with the device
  /// offset.
  static Result<MapPageCursor> open(std::span<const std::byte> page, const ImageId& id, std::uint64_t index,
                                    DeviceOffset at);
  MapPageCursor() = default;
  [[nodiscard]] bool at_end() const { return position_ == end_; }
  [[nodiscard]] std::uint64_t next_page() const { return next_page_; }
  /// Requires: !at_end(). kCorrupt for an unknown type or a record that would run over the used bytes.
  Result<MapRecord> next();
  /// Where the record that next() returned last, or stumbled over, begins on the device.
  [[nodiscard]] DeviceOffset record_at() const { return at_ + record_; }

 private:
  std::span<const std::byte> page_;
  std::size_t record_ = 0;
  std::size_t position_ = 0;
  std::size_t end_ = 0;
  std::uint64_t next_page_ = 0;
  DeviceOffset at_{};
};

}  // namespace dormouse
