/// Input: an image header. Decoded as it is, and with checksums that fit.
#include <bit>

#include "dormouse/image_options.h"
#include "dormouse/sealing.h"

#include "format/image_header.h"
#include "fuzz/fuzz_target.h"

namespace dormouse::test {
namespace {

constexpr DeviceOffset kAt{8192};

void check(std::span<const std::byte> page) {
  const auto record = decode_image_header(page, kAt);
  if (!record) {
    require(record.error().code == Errc::kCorrupt || record.error().code == Errc::kNoImage,
            "what is no image header is kCorrupt or kNoImage");
    require(record.error().offset == to_bytes(kAt) && !record.error().detail.empty(),
            "a refusal says where and why");
    return;
  }
  const ImageHeader& h = record->header;
  const std::uint64_t pages = h.image_pages;
  require(h.version == kFormatVersion && (h.features_required & ~kFeatureSealed) == 0 &&
              h.byte_order == kByteOrderLittle,
          "only this version is read");
  require(h.sealed() || (h.cipher == 0 && h.ways == 0), "a plain image has no keys");
  require(!h.sealed() || (h.cipher >= 1 && h.cipher <= 3 && h.ways >= 1 && h.ways <= h.slots.size()),
          "a sealed image has a cipher, and ways to open it");
  for (const KeySlot& slot : h.slots) {
    require(slot.way <= 3 && (slot.passes == 0 || is_payable(cost_of(slot))),
            "a slot asks for what can be paid");
  }
  require(std::has_single_bit(std::uint32_t{h.page_bytes}) && h.page_bytes >= kMinPageBytes &&
              h.page_bytes <= kMaxPageBytes,
          "the page size is one");
  require(h.chunk_pages > 0 && std::uint64_t{h.chunk_pages} * h.page_bytes <= kMaxChunkBytes,
          "chunks are bounded");
  require(pages > 0 && pages <= std::uint64_t{1} << 44, "the page count is bounded");
  require(h.chunk_count == divide_up(pages, h.chunk_pages), "the chunks hold the pages");
  require(h.map_pages > 0 && h.map_first_page > 0, "there is a map");
  require(h.chunk_count + h.map_pages + 1 <= h.stored_pages && h.stored_pages <= pages + h.map_pages + 1,
          "the counts go together");
  require(get_text(h.host).size() <= h.host.size() && get_text(h.writer).size() <= h.writer.size(),
          "texts end");
  // What was accepted can be written again and read again.
  ImageHeaderPage copy = *record;
  std::vector<std::byte> written(kMinPageBytes);
  encode_image_header(copy, written);
  const auto again = decode_image_header(written, kAt);
  require(again && std::memcmp(&*again, &*record, sizeof copy) == 0,
          "an accepted header survives being written");
}

}  // namespace
}  // namespace dormouse::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dormouse;
  using namespace dormouse::test;
  check(input_bytes(data, size));
  auto page = padded(input_bytes(data, size), kMinPageBytes);
  check(page);
  ImageHeaderPage record;
  std::memcpy(&record, page.data(), sizeof record);
  encode_image_header(record, page);
  check(page);
  return 0;
}
