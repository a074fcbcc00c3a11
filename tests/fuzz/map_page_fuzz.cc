/// Input: a swap map page. Walked as it is, and with id, index and checksum that fit.
#include "format/swap_map_page.h"
#include "fuzz/fuzz_target.h"

namespace dormouse::test {
namespace {

constexpr DeviceOffset kAt{12288};

void check(std::span<const std::byte> page, const MapPageHeader& expected) {
  auto cursor = MapPageCursor::open(page, expected.image_id, expected.index, kAt);
  if (!cursor) {
    require(cursor.error().code == Errc::kCorrupt && cursor.error().offset == to_bytes(kAt) &&
                !cursor.error().detail.empty(),
            "a damaged page is kCorrupt, with place and reason");
    return;
  }
  std::size_t bytes = 0;
  while (!cursor->at_end()) {
    const auto record = cursor->next();
    const std::uint64_t at = to_bytes(cursor->record_at()) - to_bytes(kAt);
    require(at == sizeof(MapPageHeader) + bytes, "records lie behind one another");
    if (!record) {
      require(record.error().code == Errc::kCorrupt && record.error().offset == to_bytes(kAt) + at,
              "a damaged record is kCorrupt, with its place");
      return;
    }
    bytes +=
        std::visit([](const auto& r) { return sizeof r; }, record->record) + record->extents.size_bytes();
    require(sizeof(MapPageHeader) + bytes <= page.size(), "a record lies within its page");
    for (const PackedExtent packed : record->extents) {
      const Extent extent = unpack_extent(packed);
      require(extent.first_page < kMaxDevicePages && extent.pages <= kMaxExtentPages, "extents are bounded");
      require(std::uint64_t{pack_extent(extent)} == std::uint64_t{packed}, "an extent is packed as it was");
    }
  }
}

}  // namespace
}  // namespace dormouse::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dormouse;
  using namespace dormouse::test;
  const auto input = input_bytes(data, size);
  std::size_t page_bytes = kMinPageBytes;
  while (page_bytes < input.size() && page_bytes < kMaxPageBytes) page_bytes *= 2;
  auto page = padded(input, page_bytes);
  check(page, MapPageHeader{});
  MapPageHeader header;
  std::memcpy(&header, page.data(), sizeof header);
  check(page, header);
  header.checksum = 0;
  std::memcpy(page.data(), &header, sizeof header);
  header.checksum = xxh3(page);
  std::memcpy(page.data(), &header, sizeof header);
  check(page, header);
  return 0;
}
