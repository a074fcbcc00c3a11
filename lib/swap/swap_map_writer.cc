#include "swap/swap_map_writer.h"

#include <algorithm>
#include <array>

namespace dormouse {
namespace {

// Packs as many extents as fit behind a record of `record_bytes`, and drops them from `extents`.
std::size_t take_extents(std::span<const Extent>& extents, std::size_t room_bytes,
                         std::array<PackedExtent, kMaxPageBytes / sizeof(PackedExtent)>& packed) {
  const std::size_t count = std::min(extents.size(), room_bytes / sizeof(PackedExtent));
  for (std::size_t i = 0; i < count; ++i) packed[i] = pack_extent(extents[i]);
  extents = extents.subspan(count);
  return count;
}

template <class Record>
std::span<const std::byte> bytes_of(const Record& record) {
  return std::as_bytes(std::span(&record, 1));
}

}  // namespace

Result<SwapMapWriter> SwapMapWriter::prepare(std::uint32_t page_bytes) {
  auto page = AlignedBuffer::allocate(page_bytes);
  if (!page) return std::unexpected(page.error());
  return SwapMapWriter(std::move(*page));
}

Result<void> SwapMapWriter::begin(BlockDevice& device, SwapAllocator& allocator, const ImageId& id,
                                  Sha256* sha256) {
  device_ = &device;
  allocator_ = &allocator;
  sha256_ = sha256;
  if (sha256_ != nullptr) sha256_->reset();
  id_ = id;
  digest_ = DigestState{};
  summary_ = SwapMapSummary{};
  const auto place = allocator_->allocate(1);
  if (!place) return std::unexpected(place.error());
  current_page_ = place->first_page;
  summary_.first_page = current_page_;
  summary_.map_pages = 1;
  builder_.begin(id_, 0);
  return {};
}

Result<void> SwapMapWriter::add(ChunkHeader header, std::span<const Extent> extents) {
  std::array<PackedExtent, kMaxPageBytes / sizeof(PackedExtent)> packed;
  for (const Extent& extent : extents) summary_.chunk_stored_pages += extent.pages;
  if (builder_.room() < sizeof header + sizeof(PackedExtent)) {
    if (auto r = turn_page(); !r) return r;
  }
  std::size_t count = take_extents(extents, builder_.room() - sizeof header, packed);
  header.extent_count = static_cast<std::uint16_t>(count);
  builder_.add(bytes_of(header), std::span(packed).first(count));
  digest_.update(bytes_of(header));
  ++summary_.chunk_count;
  while (!extents.empty()) {
    if (auto r = turn_page(); !r) return r;
    ExtentsRecord more;
    count = take_extents(extents, builder_.room() - sizeof more, packed);
    more.extent_count = static_cast<std::uint16_t>(count);
    builder_.add(bytes_of(more), std::span(packed).first(count));
  }
  return {};
}

Result<SwapMapSummary> SwapMapWriter::finish(std::uint64_t image_pages) {
  if (builder_.room() < sizeof(ClosingRecord)) {
    if (auto r = turn_page(); !r) return std::unexpected(r.error());
  }
  summary_.chunk_digest = digest_.value();
  ClosingRecord closing;
  closing.chunk_count = summary_.chunk_count;
  closing.image_pages = image_pages;
  closing.stored_pages = summary_.chunk_stored_pages;
  closing.map_pages = summary_.map_pages;
  closing.chunk_digest = summary_.chunk_digest;
  builder_.add(bytes_of(closing));
  if (auto r = store(0); !r) return std::unexpected(r.error());
  if (sha256_ != nullptr) summary_.map_digest = sha256_->value();
  return summary_;
}

Result<void> SwapMapWriter::turn_page() {
  const auto place = allocator_->allocate(1);
  if (!place) return std::unexpected(place.error());
  if (auto r = store(place->first_page); !r) return r;
  builder_.begin(id_, summary_.map_pages);
  current_page_ = place->first_page;
  ++summary_.map_pages;
  return {};
}

Result<void> SwapMapWriter::store(std::uint64_t next_page) {
  builder_.seal(next_page);
  if (sha256_ != nullptr) sha256_->update(page_.span());
  const auto page_bytes = static_cast<std::uint32_t>(page_.size());
  auto written = device_->write(page_offset(current_page_, page_bytes), page_.span());
  if (!written) written.error().operation = "write swap map";
  return written;
}

}  // namespace dormouse
