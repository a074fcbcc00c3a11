#include "swap/swap_map_reader.h"

#include <algorithm>

#include "dormouse/codec.h"

namespace dormouse {

Result<SwapMapReader> SwapMapReader::prepare() {
  auto page = AlignedBuffer::allocate(kMaxPageBytes);
  if (!page) return std::unexpected(page.error());
  return SwapMapReader(std::move(*page));
}

Result<void> SwapMapReader::begin(BlockDevice& device, const ImageHeader& header, const SwapBounds& bounds) {
  device_ = &device;
  header_ = &header;
  bounds_ = bounds;
  map_pages_ = 0;
  chunks_ = 0;
  stored_pages_ = 0;
  digest_ = DigestState{};
  return load(header.map_first_page);
}

Result<void> SwapMapReader::load(std::uint64_t page) {
  const auto broken = [&] {
    return fail(Errc::kCorrupt, "follow swap map").on(device_->name()).at(to_bytes(map_page_at_));
  };
  if (map_pages_ == header_->map_pages) {
    return broken().because("the map goes on after its {} pages", std::uint64_t{header_->map_pages});
  }
  if (page == 0 || page >= bounds_.end_page || page == bounds_.header_page) {
    return broken().because("map page {} would lie at page {}, outside the swap area's pages below {}",
                            map_pages_, page, bounds_.end_page);
  }
  const auto bytes = page_.span().first(header_->page_bytes);
  map_page_at_ = page_offset(page, header_->page_bytes);
  if (auto r = device_->read(map_page_at_, bytes); !r) {
    Error error = r.error();
    error.operation = "read swap map";
    return std::unexpected(error);
  }
  auto cursor = MapPageCursor::open(bytes, header_->image_id, map_pages_, map_page_at_);
  if (!cursor) return std::unexpected(on_device(cursor.error()));
  cursor_ = *cursor;
  ++map_pages_;
  return {};
}

// The format does not know what it lies on; a person has to.
Error SwapMapReader::on_device(Error error) const {
  error.object.format("{}", device_->name());
  return error;
}

Result<MapRecord> SwapMapReader::next_record() {
  if (cursor_.at_end()) {
    if (auto r = load(cursor_.next_page()); !r) return std::unexpected(r.error());
  }
  auto record = cursor_.next();
  if (!record) return std::unexpected(on_device(record.error()));
  return record;
}

Result<bool> SwapMapReader::next(ChunkPlacement& placement) {
  auto record = next_record();
  if (!record) return std::unexpected(record.error());
  if (const auto* closing = std::get_if<ClosingRecord>(&record->record)) return check_closing(*closing);
  const auto* chunk = std::get_if<ChunkHeader>(&record->record);
  if (chunk == nullptr) {
    return fail(Errc::kCorrupt, "follow swap map")
        .on(device_->name())
        .at(to_bytes(map_page_at_))
        .because("chunk {} starts with extents of no chunk", chunks_);
  }
  if (auto r = check_chunk(*chunk); !r) return std::unexpected(r.error());
  placement.header = *chunk;
  placement.extents.clear();
  digest_.update(std::as_bytes(std::span(chunk, 1)));
  std::uint64_t missing = placement.stored_pages(header_->page_bytes);
  if (auto r = add_extents(placement, record->extents, missing); !r) return std::unexpected(r.error());
  while (missing > 0) {
    record = next_record();
    if (!record) return std::unexpected(record.error());
    if (!std::holds_alternative<ExtentsRecord>(record->record)) {
      return fail(Errc::kCorrupt, "follow swap map")
          .on(device_->name())
          .at(to_bytes(map_page_at_))
          .because("chunk {} lacks the places of its last {} pages", chunks_, missing);
    }
    if (auto r = add_extents(placement, record->extents, missing); !r) return std::unexpected(r.error());
  }
  ++chunks_;
  stored_pages_ += placement.stored_pages(header_->page_bytes);
  return true;
}

Result<void> SwapMapReader::check_chunk(const ChunkHeader& chunk) const {
  const std::uint64_t first_page = chunks_ * header_->chunk_pages;
  const std::uint64_t rest = header_->image_pages - std::min<std::uint64_t>(first_page, header_->image_pages);
  const std::uint64_t pages = std::min<std::uint64_t>(header_->chunk_pages, rest);
  const auto broken = [&] {
    return fail(Errc::kCorrupt, "check chunk header").on(device_->name()).at(to_bytes(map_page_at_));
  };
  if (pages == 0) return broken().because("chunk {} lies behind the image's end", chunks_);
  if (chunk.number != chunks_ || chunk.first_page != first_page || chunk.pages != pages) {
    return broken().because("where chunk {} (pages {} to {}) is due, the map has chunk {} (pages {} to {})",
                            chunks_, first_page, first_page + pages - 1, std::uint64_t{chunk.number},
                            std::uint64_t{chunk.first_page}, chunk.first_page + chunk.pages - 1);
  }
  const std::uint64_t unpacked = pages * header_->page_bytes;
  const bool stored = chunk.codec == static_cast<std::uint8_t>(CodecId::kStored);
  const bool sized =
      stored ? chunk.packed_bytes == unpacked : chunk.packed_bytes > 0 && chunk.packed_bytes < unpacked;
  if (!is_known_codec(chunk.codec) || chunk.flags != 0 || chunk.reserved != 0 || !sized) {
    return broken().because("chunk {} (pages {} to {}): codec {}, flags {:#x}, {} packed bytes make no sense",
                            chunks_, first_page, first_page + pages - 1, chunk.codec, chunk.flags,
                            std::uint32_t{chunk.packed_bytes});
  }
  return {};
}

Result<void> SwapMapReader::add_extents(ChunkPlacement& placement, std::span<const PackedExtent> extents,
                                        std::uint64_t& missing) {
  for (const PackedExtent packed : extents) {
    const Extent extent = unpack_extent(packed);
    const bool over_header =
        extent.first_page <= bounds_.header_page && bounds_.header_page < extent.end_page();
    if (extent.pages == 0 || extent.pages > missing || extent.first_page == 0 ||
        extent.end_page() > bounds_.end_page || over_header) {
      return fail(Errc::kCorrupt, "check extents of a chunk")
          .on(device_->name())
          .at(to_bytes(map_page_at_))
          .because(
              "chunk {}: extent of {} pages at page {}; {} pages are due, below page {} and not over the "
              "swap header",
              chunks_, extent.pages, extent.first_page, missing, bounds_.end_page);
    }
    placement.extents.push_back(extent);
    missing -= extent.pages;
  }
  return {};
}

Result<bool> SwapMapReader::check_closing(const ClosingRecord& closing) {
  const ImageHeader& h = *header_;
  const std::uint64_t stored_pages = stored_pages_ + map_pages_ + 1;
  const bool whole = closing.reserved_1 == 0 && closing.reserved_2 == 0 && closing.reserved_3 == 0 &&
                     closing.chunk_count == chunks_ && h.chunk_count == chunks_ &&
                     closing.image_pages == h.image_pages && closing.stored_pages == stored_pages_ &&
                     h.stored_pages == stored_pages && closing.map_pages == map_pages_ &&
                     h.map_pages == map_pages_ && cursor_.at_end() && cursor_.next_page() == 0;
  if (!whole) {
    return fail(Errc::kCorrupt, "check closing record")
        .on(device_->name())
        .at(to_bytes(map_page_at_))
        .because("the image ends after {} of {} chunks and {} of {} map pages", chunks_,
                 std::uint64_t{h.chunk_count}, map_pages_, std::uint64_t{h.map_pages});
  }
  const Digest digest = digest_.value();
  if (closing.chunk_digest != digest || h.chunk_digest != digest) {
    return fail(Errc::kCorrupt, "check closing record")
        .on(device_->name())
        .at(to_bytes(map_page_at_))
        .because("the chunks are not those that were written");
  }
  return false;
}

}  // namespace dormouse
