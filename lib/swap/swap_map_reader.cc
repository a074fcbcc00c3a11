#include "swap/swap_map_reader.h"

#include <algorithm>

#include "dormouse/codec.h"

namespace dormouse {

Result<SwapMapReader> SwapMapReader::prepare() {
  auto page = AlignedBuffer::allocate(kMaxPageBytes);
  if (!page) return std::unexpected(page.error());
  return SwapMapReader(std::move(*page));
}

Result<void> SwapMapReader::begin(BlockDevice& device, const ImageHeader& header, const SwapBounds& bounds,
                                  Sha256* sha256) {
  device_ = &device;
  header_ = &header;
  sha256_ = header.sealed() ? sha256 : nullptr;
  if (sha256_ != nullptr) sha256_->reset();
  bounds_ = bounds;
  map_page_at_ = bounds.image_header_at;
  map_pages_ = 0;
  chunks_ = 0;
  stored_pages_ = 0;
  digest_ = DigestState{};
  return load(header.map_first_page);
}

Result<void> SwapMapReader::load(std::uint64_t page) {
  const auto broken = [&] { return fail(Errc::kCorrupt, "follow swap map").at(to_bytes(map_page_at_)); };
  if (map_pages_ == header_->map_pages) {
    return std::unexpected(map_lost(
        broken().because("the map goes on after its {} pages", std::uint64_t{header_->map_pages}).error()));
  }
  if (page >= bounds_.end_page || is_outside({.first_page = page, .pages = 1})) {
    return std::unexpected(
        map_lost(broken()
                     .because("map page {} would lie at page {}, which is no page below {} for it",
                              map_pages_, page, bounds_.end_page)
                     .error()));
  }
  const auto bytes = page_.span().first(header_->page_bytes);
  map_page_at_ = page_offset(page, header_->page_bytes);
  if (auto r = device_->read(map_page_at_, bytes); !r) {
    Error error = r.error();
    error.operation = "read swap map";
    return std::unexpected(error);
  }
  auto cursor = MapPageCursor::open(bytes, header_->image_id, map_pages_, map_page_at_);
  if (!cursor) return std::unexpected(map_lost(cursor.error()));
  if (sha256_ != nullptr) sha256_->update(bytes);
  cursor_ = *cursor;
  ++map_pages_;
  return {};
}

// The format does not know what it lies on, nor what a page of the map described; a person has to.
Error SwapMapReader::map_lost(Error error) const {
  const auto what = error.detail;
  const std::uint64_t first = chunks_ * header_->chunk_pages;
  error.object.format("{}", device_->name());
  if (first < header_->image_pages) {
    error.detail.format("{}; lost is the map from chunk {} on (pages {} to {} of the image)", what.view(),
                        chunks_, first, header_->image_pages - 1);
  } else {
    error.detail.format("{}; lost is the closing record, behind the last of {} chunks", what.view(), chunks_);
  }
  return error;
}

InlineText<96> SwapMapReader::chunk_due() const {
  const std::uint64_t first = chunks_ * header_->chunk_pages;
  const std::uint64_t end = std::min<std::uint64_t>(first + header_->chunk_pages, header_->image_pages);
  InlineText<96> text;
  text.format("chunk {} (pages {} to {} of the image)", chunks_, first, end - 1);
  return text;
}

Result<MapRecord> SwapMapReader::next_record() {
  if (cursor_.at_end()) {
    if (auto r = load(cursor_.next_page()); !r) return std::unexpected(r.error());
  }
  auto record = cursor_.next();
  if (!record) return std::unexpected(map_lost(record.error()));
  return record;
}

Result<bool> SwapMapReader::next(ChunkPlacement& placement) {
  auto record = next_record();
  if (!record) return std::unexpected(record.error());
  if (const auto* closing = std::get_if<ClosingRecord>(&record->record)) return check_closing(*closing);
  const auto* chunk = std::get_if<ChunkHeader>(&record->record);
  if (chunk == nullptr) {
    return std::unexpected(map_lost(fail(Errc::kCorrupt, "follow swap map")
                                        .at(to_bytes(cursor_.record_at()))
                                        .because("there are extents of no chunk")
                                        .error()));
  }
  if (auto r = check_chunk(*chunk); !r) return std::unexpected(r.error());
  placement.header = *chunk;
  placement.extents.clear();
  if (auto r = check_room(placement); !r) return std::unexpected(r.error());
  digest_.update(std::as_bytes(std::span(chunk, 1)));
  std::uint64_t missing = placement.stored_pages(header_->page_bytes);
  if (auto r = add_extents(placement, record->extents, missing); !r) return std::unexpected(r.error());
  while (missing > 0) {
    record = next_record();
    if (!record) return std::unexpected(record.error());
    if (!std::holds_alternative<ExtentsRecord>(record->record)) {
      return fail(Errc::kCorrupt, "follow swap map")
          .on(device_->name())
          .at(to_bytes(cursor_.record_at()))
          .because("{} lacks the places of its last {} stored pages", chunk_due().view(), missing);
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
    return fail(Errc::kCorrupt, "check chunk header").on(device_->name()).at(to_bytes(cursor_.record_at()));
  };
  if (pages == 0) {
    return broken().because("chunk {} lies behind the image's end, page {}", chunks_,
                            std::uint64_t{header_->image_pages});
  }
  if (chunk.number != chunks_ || chunk.first_page != first_page || chunk.pages != pages) {
    return broken().because("where {} is due, the map has chunk {}: {} pages from page {} on",
                            chunk_due().view(), std::uint64_t{chunk.number}, std::uint32_t{chunk.pages},
                            std::uint64_t{chunk.first_page});
  }
  const std::uint64_t unpacked = pages * header_->page_bytes;
  const bool stored = chunk.codec == static_cast<std::uint8_t>(CodecId::kStored);
  const bool sized =
      stored ? chunk.packed_bytes == unpacked : chunk.packed_bytes > 0 && chunk.packed_bytes < unpacked;
  if (!is_known_codec(chunk.codec) || chunk.flags != 0 || chunk.reserved != 0 || !sized) {
    return broken().because("{}: codec {}, flags {:#x}, {} packed bytes make no sense", chunk_due().view(),
                            chunk.codec, chunk.flags, std::uint32_t{chunk.packed_bytes});
  }
  return {};
}

// Else chunks that share their places would make a small map ask for more than the device holds.
Result<void> SwapMapReader::check_room(const ChunkPlacement& placement) const {
  const std::uint64_t due = placement.stored_pages(header_->page_bytes);
  const std::uint64_t all = header_->stored_pages - header_->map_pages - 1;
  if (due <= all - std::min(stored_pages_, all)) return {};
  return fail(Errc::kCorrupt, "check chunk header")
      .on(device_->name())
      .at(to_bytes(cursor_.record_at()))
      .because("{}: its {} stored pages and the {} before are more than all chunks' {}", chunk_due().view(),
               due, stored_pages_, all);
}

bool SwapMapReader::is_outside(const Extent& extent) const {
  const auto lies_over = [&](std::uint64_t page) {
    return extent.first_page <= page && page < extent.end_page();
  };
  return extent.first_page == 0 || extent.end_page() > bounds_.end_page || lies_over(bounds_.header_page) ||
         lies_over(to_bytes(bounds_.image_header_at) / header_->page_bytes);
}

Result<void> SwapMapReader::add_extents(ChunkPlacement& placement, std::span<const PackedExtent> extents,
                                        std::uint64_t& missing) {
  for (const PackedExtent packed : extents) {
    const Extent extent = unpack_extent(packed);
    if (extent.pages == 0 || extent.pages > missing || is_outside(extent)) {
      return fail(Errc::kCorrupt, "check extents of a chunk")
          .on(device_->name())
          .at(to_bytes(cursor_.record_at()))
          .because("{}: extent of {} pages at page {}; {} pages are due, below page {} and over no header",
                   chunk_due().view(), extent.pages, extent.first_page, missing, bounds_.end_page);
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
  const auto broken = [&] {
    return fail(Errc::kCorrupt, "check closing record").on(device_->name()).at(to_bytes(cursor_.record_at()));
  };
  if (chunks_ < h.chunk_count) {
    return std::unexpected(
        map_lost(broken()
                     .because("the image ends after {} of {} chunks", chunks_, std::uint64_t{h.chunk_count})
                     .error()));
  }
  if (!whole) {
    return broken().because(
        "it does not agree with the image header and with the {} chunks, {} stored pages and {} map pages "
        "that were found, or it is not the end of the map",
        chunks_, stored_pages_, map_pages_);
  }
  if (h.sealed() && (sha256_ == nullptr || sha256_->value() != h.map_digest)) {
    return broken().because("the swap map of {} pages is not the one that the image was sealed with",
                            map_pages_);
  }
  const Digest digest = digest_.value();
  if (closing.chunk_digest != digest || h.chunk_digest != digest) {
    return broken().because("the {} chunks are not those that were written", chunks_);
  }
  return false;
}

}  // namespace dormouse
