#include "fuzz/reseal.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "dormouse/codec.h"
#include "dormouse/image_options.h"

#include "format/image_header.h"
#include "format/swap_map_page.h"

namespace dormouse::test {
namespace {

class Resealer {
 public:
  Resealer(MemoryBlockDevice& disk, std::uint64_t header_at) : disk_(disk), header_at_(header_at) {}

  void run() {
    if (!is_there(header_at_, sizeof(ImageHeaderPage))) return;
    record_ = load<ImageHeaderPage>(header_at_);
    page_bytes_ = record_.header.page_bytes;
    if (std::has_single_bit(page_bytes_) && page_bytes_ >= kMinPageBytes && page_bytes_ <= kMaxPageBytes) {
      find_map_pages();
      // Tags nobody can mend.
      if (!record_.header.sealed()) mend_chunks();
      mend_digests();
      for (const std::uint64_t at : map_pages_) seal_map_page(at);
    }
    record_.header.checksum = 0;
    record_.header.checksum = xxh3(std::as_bytes(std::span(&record_.header, 1)));
    record_.note.checksum = 0;
    record_.note.checksum = xxh3(std::as_bytes(std::span(&record_.note, 1)));
    store(header_at_, record_);
  }

 private:
  struct Chunk {
    std::uint64_t at;
    std::vector<Extent> extents;
  };

  [[nodiscard]] bool is_there(std::uint64_t at, std::uint64_t bytes) const {
    return at <= disk_.size_bytes() && bytes <= disk_.size_bytes() - at;
  }
  template <class Record>
  [[nodiscard]] Record load(std::uint64_t at) const {
    Record record;
    std::memcpy(&record, disk_.bytes().data() + at, sizeof record);
    return record;
  }
  template <class Record>
  void store(std::uint64_t at, const Record& record) {
    std::memcpy(disk_.mutable_bytes(at, sizeof record).data(), &record, sizeof record);
  }

  void find_map_pages() {
    for (std::uint64_t page = record_.header.map_first_page; page < disk_.size_bytes() / page_bytes_;) {
      const std::uint64_t at = page * page_bytes_;
      const bool loop = std::ranges::find(map_pages_, at) != map_pages_.end();
      if (loop || at == header_at_) return;
      map_pages_.push_back(at);
      find_records(at);
      page = load<MapPageHeader>(at).next_page;
      if (page == 0) return;
    }
  }

  void find_records(std::uint64_t page_at) {
    const std::uint64_t end =
        page_at + sizeof(MapPageHeader) +
        std::min<std::uint64_t>(load<MapPageHeader>(page_at).used_bytes, page_bytes_ - sizeof(MapPageHeader));
    for (std::uint64_t at = page_at + sizeof(MapPageHeader); at + sizeof(ExtentsRecord) <= end;) {
      const auto start = load<ExtentsRecord>(at);
      const auto type = static_cast<RecordType>(std::uint16_t{start.type});
      const std::uint64_t size = type == RecordType::kChunk     ? sizeof(ChunkHeader)
                                 : type == RecordType::kExtents ? sizeof(ExtentsRecord)
                                                                : sizeof(ClosingRecord);
      const std::uint64_t count = type == RecordType::kClosing ? 0 : std::uint16_t{start.extent_count};
      if (at + size + count * sizeof(PackedExtent) > end) return;
      if (type == RecordType::kClosing) closing_.push_back(at);
      if (type == RecordType::kChunk) chunks_.push_back({.at = at, .extents = {}});
      at += size;
      for (std::uint64_t i = 0; i < count; ++i, at += sizeof(PackedExtent)) {
        if (!chunks_.empty()) chunks_.back().extents.push_back(unpack_extent(load<PackedExtent>(at)));
      }
      if (type != RecordType::kChunk && type != RecordType::kExtents) return;
    }
  }

  void mend_chunks() {
    // A reader takes no more than the disk holds either; chunks behind that keep the checksums they have.
    std::uint64_t left = 2 * disk_.size_bytes();
    for (const Chunk& chunk : chunks_) {
      auto header = load<ChunkHeader>(chunk.at);
      std::vector<std::byte> stored;
      for (const Extent& extent : chunk.extents) {
        const std::uint64_t at = extent.first_page * page_bytes_;
        const std::uint64_t bytes = extent.pages * page_bytes_;
        if (!is_there(at, bytes) || bytes > left) return;
        left -= bytes;
        const auto piece = disk_.bytes().subspan(at, bytes);
        stored.insert(stored.end(), piece.begin(), piece.end());
      }
      header.stored_xxh3 = xxh3(stored);
      header.pages_xxh3 = pages_sum(header, stored);
      store(chunk.at, header);
    }
  }

  [[nodiscard]] std::uint64_t pages_sum(const ChunkHeader& header, std::span<const std::byte> stored) const {
    const std::uint64_t bytes = std::uint64_t{header.pages} * page_bytes_;
    if (header.codec == static_cast<std::uint8_t>(CodecId::kStored) || !is_known_codec(header.codec) ||
        bytes == 0 || bytes > kMaxChunkBytes || header.packed_bytes > stored.size()) {
      return header.stored_xxh3;
    }
    const auto codec = make_unpacker(static_cast<CodecId>(header.codec), bytes);
    std::vector<std::byte> pages(bytes);
    if (!codec || !(*codec)->unpack(stored.first(header.packed_bytes), pages)) return header.pages_xxh3;
    return xxh3(pages);
  }

  void mend_digests() {
    DigestState digest;
    for (const Chunk& chunk : chunks_) {
      const auto header = load<ChunkHeader>(chunk.at);
      digest.update(std::as_bytes(std::span(&header, 1)));
    }
    record_.header.chunk_digest = digest.value();
    for (const std::uint64_t at : closing_) {
      auto closing = load<ClosingRecord>(at);
      closing.chunk_digest = digest.value();
      store(at, closing);
    }
  }

  void seal_map_page(std::uint64_t at) {
    auto header = load<MapPageHeader>(at);
    header.checksum = 0;
    store(at, header);
    header.checksum = xxh3(disk_.bytes().subspan(at, page_bytes_));
    store(at, header);
  }

  MemoryBlockDevice& disk_;
  std::uint64_t header_at_;
  ImageHeaderPage record_;
  std::uint32_t page_bytes_ = 0;
  std::vector<std::uint64_t> map_pages_;
  std::vector<Chunk> chunks_;
  std::vector<std::uint64_t> closing_;
};

}  // namespace

void reseal_image(MemoryBlockDevice& disk, DeviceOffset header_at) {
  Resealer(disk, to_bytes(header_at)).run();
}

}  // namespace dormouse::test
