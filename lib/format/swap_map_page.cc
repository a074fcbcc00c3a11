#include "format/swap_map_page.h"

#include <algorithm>
#include <cstring>

namespace dormouse {
namespace {

constexpr unsigned kExtentShift = 44;
constexpr std::size_t kTagAt = offsetof(ChunkHeader, stored_xxh3);
static_assert(kTagAt + sizeof(ChunkTag) == sizeof(ChunkHeader));
static_assert(kTagAt + sizeof(ImageId) == sizeof(ChunkAssociated));

std::uint64_t page_checksum(std::span<const std::byte> page) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  constexpr std::size_t field = offsetof(MapPageHeader, checksum);
  constexpr std::uint64_t zero = 0;
  XXH3_64bits_update(&state, page.data(), field);
  XXH3_64bits_update(&state, &zero, sizeof zero);
  XXH3_64bits_update(&state, page.data() + field + sizeof zero, page.size() - field - sizeof zero);
  return XXH3_64bits_digest(&state);
}

Failure damaged(DeviceOffset at) {
  return fail(Errc::kCorrupt, "check swap map page").at(to_bytes(at));
}

template <class Record>
Record load(std::span<const std::byte> bytes) {
  Record record;
  std::memcpy(&record, bytes.data(), sizeof record);
  return record;
}

}  // namespace

ChunkTag get_tag(const ChunkHeader& header) {
  ChunkTag tag;
  std::ranges::copy(std::as_bytes(std::span(&header, 1)).subspan(kTagAt), tag.begin());
  return tag;
}

void put_tag(ChunkHeader& header, const ChunkTag& tag) {
  std::ranges::copy(tag, std::as_writable_bytes(std::span(&header, 1)).subspan(kTagAt).begin());
}

ChunkAssociated associated_data(const ImageId& id, ChunkHeader header) {
  header.extent_count = 0;  // how its places are cut up is the swap map's business
  ChunkAssociated data;
  std::ranges::copy(id, data.begin());
  std::ranges::copy(std::as_bytes(std::span(&header, 1)).first(kTagAt), data.begin() + id.size());
  return data;
}

PackedExtent pack_extent(const Extent& extent) {
  return extent.first_page | (extent.pages << kExtentShift);
}

Extent unpack_extent(PackedExtent packed) {
  const std::uint64_t value = packed;
  return {.first_page = value & (kMaxDevicePages - 1), .pages = value >> kExtentShift};
}

void MapPageBuilder::begin(const ImageId& id, std::uint64_t index) {
  std::ranges::fill(page_, std::byte{0});
  used_ = 0;
  header_ = MapPageHeader{};
  header_.image_id = id;
  header_.index = index;
}

void MapPageBuilder::add(std::span<const std::byte> record, std::span<const PackedExtent> extents) {
  std::byte* at = page_.data() + sizeof(MapPageHeader) + used_;
  std::ranges::copy(record, at);
  std::ranges::copy(std::as_bytes(extents), at + record.size());
  used_ += record.size() + extents.size_bytes();
}

void MapPageBuilder::seal(std::uint64_t next_page) {
  header_.next_page = next_page;
  header_.used_bytes = static_cast<std::uint32_t>(used_);
  header_.checksum = 0;
  std::memcpy(page_.data(), &header_, sizeof header_);
  header_.checksum = page_checksum(page_);
  std::memcpy(page_.data(), &header_, sizeof header_);
}

Result<MapPageCursor> MapPageCursor::open(std::span<const std::byte> page, const ImageId& id,
                                          std::uint64_t index, DeviceOffset at) {
  const auto header = load<MapPageHeader>(page);
  if (header.magic != kMapMagic) return damaged(at).because("map page {} is not there", index);
  if (header.checksum != page_checksum(page)) {
    return damaged(at).because("the checksum of map page {} does not match", index);
  }
  if (header.image_id != id) return damaged(at).because("map page {} belongs to another image", index);
  if (header.index != index) {
    return damaged(at).because("map page {} says it is number {}", index, std::uint64_t{header.index});
  }
  const std::size_t room = page.size() - sizeof header;
  if (header.used_bytes == 0 || header.used_bytes > room || header.used_bytes % 8 != 0) {
    return damaged(at).because("map page {} claims {} bytes of records, {} fit", index,
                               std::uint32_t{header.used_bytes}, room);
  }
  const auto rest = page.subspan(sizeof header + header.used_bytes);
  if (header.reserved_1 != 0 || header.reserved_2 != 0 ||
      !std::ranges::all_of(rest, [](std::byte b) { return b == std::byte{0}; })) {
    return damaged(at).because("the unused part of map page {} is not zero", index);
  }
  MapPageCursor cursor;
  cursor.page_ = page;
  cursor.position_ = sizeof header;
  cursor.end_ = sizeof header + header.used_bytes;
  cursor.next_page_ = header.next_page;
  cursor.at_ = at;
  return cursor;
}

Result<MapRecord> MapPageCursor::next() {
  const auto rest = page_.subspan(position_, end_ - position_);
  record_ = position_;
  const auto broken = [this] {
    return damaged(record_at())
        .because("a record there is of unknown kind or runs over the end of the records");
  };
  // Reads a record of known size and the extents that it says follow.
  const auto take = [&]<class Record>(std::uint16_t extent_count) -> Result<MapRecord> {
    const std::size_t size = sizeof(Record) + std::size_t{extent_count} * sizeof(PackedExtent);
    if (size > rest.size()) return broken();
    position_ += size;
    const auto* first = reinterpret_cast<const PackedExtent*>(rest.data() + sizeof(Record));
    return MapRecord{.record = load<Record>(rest), .extents = {first, extent_count}};
  };
  if (rest.size() < sizeof(ExtentsRecord)) return broken();
  const auto start = load<ExtentsRecord>(rest);
  switch (static_cast<RecordType>(std::uint16_t{start.type})) {
    case RecordType::kChunk:
      if (rest.size() < sizeof(ChunkHeader)) return broken();
      return take.operator()<ChunkHeader>(start.extent_count);
    case RecordType::kExtents:
      if (start.extent_count == 0 || start.reserved != 0) return broken();
      return take.operator()<ExtentsRecord>(start.extent_count);
    case RecordType::kClosing:
      if (rest.size() < sizeof(ClosingRecord)) return broken();
      return take.operator()<ClosingRecord>(0);
  }
  return broken();
}

}  // namespace dormouse
