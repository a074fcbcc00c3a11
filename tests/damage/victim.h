/// A sound image on a disk, taken apart into its records, so that each can be damaged and mended again.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "dormouse/image_reader.h"
#include "dormouse/sealing.h"

#include "io/memory_block_device.h"

namespace dormouse::test {

enum class RecordKind : std::uint8_t { kImageHeader, kNote, kMapHeader, kChunk, kExtent, kExtents, kClosing };
inline constexpr RecordKind kAllKinds[] = {
    RecordKind::kImageHeader, RecordKind::kNote,    RecordKind::kMapHeader, RecordKind::kChunk,
    RecordKind::kExtent,      RecordKind::kExtents, RecordKind::kClosing};
/// As FORMAT.md calls them.
std::string_view record_name(RecordKind kind);

/// One record where it lies. `chunk` is the one it belongs to, or the one that is due when a reader gets
/// there.
struct RecordPlace {
  RecordKind kind;
  std::uint64_t at;  ///< bytes from the start of the disk
  std::size_t bytes;
  std::uint64_t chunk;
};

struct VictimShape {
  std::string name;
  std::uint32_t page_bytes = 4096;
  std::uint32_t chunk_pages = 2;
  std::uint64_t image_pages = 17;
  std::uint64_t header_page = 0;  ///< of the swap header: more than 0 is a swap file
  bool repeats = false;           ///< every chunk holds the same pages
  bool only_map = false;          ///< the image header is like any other, and reading all of it takes long
  bool every_record = true;       ///< false: damage one by one only those at the edges of map pages
  bool sealed = false;            ///< opened by victim_key()
  std::vector<CodecSpec> codecs = {};  ///< of the chunks, in turn; default: every one
};
inline void PrintTo(const VictimShape& shape, std::ostream* out) {
  *out << shape.name;
}
std::vector<VictimShape> victim_shapes();
/// What opens a sealed victim.
KeyFile victim_key();
/// The shape of that name.
VictimShape victim_shape(std::string_view name);

/// A marked swap area made by the reference writer. Under the image lies what a longer one left behind, and
/// the device goes on behind the area.
class Victim {
 public:
  explicit Victim(const VictimShape& shape);

  [[nodiscard]] MemoryBlockDevice& disk() { return disk_; }
  [[nodiscard]] const VictimShape& shape() const { return shape_; }
  [[nodiscard]] const std::vector<std::byte>& stream() const { return stream_; }
  [[nodiscard]] DeviceOffset header_at() const { return header_at_; }
  [[nodiscard]] ImageBounds bounds() const;
  [[nodiscard]] std::uint64_t area_end_page() const { return area_end_page_; }
  [[nodiscard]] std::uint64_t page_at(std::uint64_t byte) const { return byte / shape_.page_bytes; }

  [[nodiscard]] const std::vector<RecordPlace>& records() const { return records_; }
  [[nodiscard]] std::vector<RecordPlace> records(RecordKind kind) const;
  [[nodiscard]] std::uint64_t chunks() const;
  /// The extents of a chunk, one for every stored page.
  [[nodiscard]] std::vector<RecordPlace> extents_of(std::uint64_t chunk) const;
  /// The header of the map page that byte `at` lies in.
  [[nodiscard]] RecordPlace map_page_of(std::uint64_t at) const;
  [[nodiscard]] std::uint64_t first_page_of(std::uint64_t chunk) const { return chunk * shape_.chunk_pages; }
  [[nodiscard]] std::uint64_t last_page_of(std::uint64_t chunk) const;

  /// Bytes of the disk to be damaged. restore() puts all of them back.
  std::span<std::byte> change(std::uint64_t at, std::size_t bytes);
  /// Makes digests and checksums of all records fit what they now hold: what a hostile image does. The `kept`
  /// bytes from `at` on stay as they are. Of a sealed image the header's tag is made anew too, as whoever has
  /// the key can, unless `keyed` is false; the tags of chunks never are.
  void reseal(std::uint64_t at = 0, std::size_t kept = 0, bool keyed = true);
  void restore();
  [[nodiscard]] bool is_restored() const;

 private:
  void write_images();
  void take_apart();
  void put_note();
  void put(std::uint64_t at, std::span<const std::byte> bytes);
  void seal_header();

  VictimShape shape_;
  std::uint64_t area_end_page_;
  MemoryBlockDevice disk_;
  std::vector<std::byte> stream_;
  DeviceOffset header_at_{};
  std::vector<RecordPlace> records_;
  std::vector<std::byte> sound_;  // the whole disk
  std::vector<ByteRange> changed_;
  std::uint64_t kept_at_ = 0;
  std::size_t kept_bytes_ = 0;
};

}  // namespace dormouse::test
