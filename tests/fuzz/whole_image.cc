#include "fuzz/whole_image.h"

#include "dormouse/image_reader.h"

#include "damage/counting_device.h"
#include "fuzz/fuzz_target.h"
#include "swap/swap_map_reader.h"

namespace dormouse::test {
namespace {

constexpr std::uint32_t kMaxChunkBytes = 256 * 1024;

class CountingSink final : public PageSink {
 public:
  Result<void> write(std::span<const std::byte> pages) override {
    bytes_ += pages.size();
    return {};
  }
  Result<void> finish() override {
    finished_ = true;
    return {};
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] bool finished() const { return finished_; }

 private:
  std::uint64_t bytes_ = 0;
  bool finished_ = false;
};

void require_reason(const Error& error) {
  require(!error.detail.empty() && error.object.view() == "disk", "an error says where and why");
}

/// Follows the map alone. Most inputs end here: starting the reader's threads for each would take nearly all
/// the time.
bool is_map_whole(BlockDevice& device, const ImageHeader& header, const SwapBounds& bounds) {
  static SwapMapReader map = SwapMapReader::prepare().value();
  static ChunkPlacement placement;
  auto begun = map.begin(device, header, bounds);
  Result<bool> more = begun ? Result<bool>(true) : std::unexpected(begun.error());
  std::uint64_t stored_pages = 0;
  for (std::uint64_t chunks = 0; more; ++chunks) {
    more = map.next(placement);
    if (more && !*more) return true;
    require(chunks <= header.chunk_count && stored_pages <= header.stored_pages,
            "a map ends where the header says");
    stored_pages += placement.stored_pages(header.page_bytes);
    for (const Extent& extent : placement.extents) {
      require(!more || (extent.pages > 0 && extent.first_page > 0 && extent.end_page() <= bounds.end_page),
              "extents lie within the area");
    }
  }
  require(more.error().code == Errc::kCorrupt, "a damaged map is kCorrupt");
  require_reason(more.error());
  return false;
}

}  // namespace

std::optional<SwapArea> find_area(MemoryBlockDevice& disk, std::uint64_t header_page) {
  for (const std::uint32_t page_bytes : {4096U, 16384U, 65536U}) {
    auto area = SwapArea::open(disk, page_offset(header_page, page_bytes));
    if (area && (area->page_bytes() == page_bytes || header_page == 0)) return std::move(*area);
  }
  return std::nullopt;
}

void read_whole_image(MemoryBlockDevice& disk, const SwapArea& area) {
  if (area.signature() != SwapSignature::kUserMark) return;
  static ImageReader reader = ImageReader::prepare(kMaxChunkBytes, 1).value();
  CountingDevice device(disk);
  const ImageBounds bounds{.end_page = area.header_page() + area.last_page() + 1,
                           .swap_header_page = area.header_page(),
                           .page_bytes = area.page_bytes()};
  if (const auto opened = reader.open(device, area.marked_image_header(), bounds); !opened) {
    require(opened.error().code == Errc::kCorrupt || opened.error().code == Errc::kNoImage,
            "what is no image is kCorrupt or kNoImage");
    require_reason(opened.error());
  } else {
    CountingSink sink;
    NoProgress progress;
    if (reader.sealed()) {
      const auto read = reader.read(sink, progress);
      require(!read && read.error().code == Errc::kUsage && sink.bytes() == 0,
              "nothing is read without a key");
      return;
    }
    const DeviceOffset at = area.marked_image_header();
    const auto record = decode_image_header(disk.bytes().subspan(to_bytes(at), kMinPageBytes), at);
    require(record.has_value(), "what the reader accepts is a valid header");
    const bool whole = is_map_whole(
        disk, record->header,
        {.end_page = bounds.end_page, .header_page = bounds.swap_header_page, .image_header_at = at});
    // How the threads end when the map breaks off is tried too, with one of so many.
    if (!whole && record->header.checksum % 16 != 0) return;
    const auto read = reader.read(sink, progress);
    require(read || read.error().code == Errc::kCorrupt || reader.chunk_bytes() > kMaxChunkBytes,
            "a damaged image is kCorrupt");
    require(whole || !read, "an image whose map is damaged is not read");
    require(sink.finished() == read.has_value(), "the end is told of whole images only");
    require(!read || sink.bytes() == reader.figures().bytes(), "a whole image has all its pages");
    require(sink.bytes() <= reader.figures().bytes(), "no more pages than the image has");
    if (!read) require(!read.error().detail.empty(), "an error says why");
    (void)reader.info();
  }
  require(device.changes() == 0, "reading changes nothing");
  require(device.bytes_read() <= bounds.end_page * bounds.page_bytes, "no more is read than there is");
}

}  // namespace dormouse::test
