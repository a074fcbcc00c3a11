/// Input: the start of a swap area.
#include "dormouse/swap_area.h"

#include "format/swap_header.h"
#include "fuzz/fuzz_target.h"

namespace dormouse::test {
namespace {

void check(std::span<const std::byte> bytes, std::uint64_t area_bytes) {
  const auto header = decode_swap_header(bytes, area_bytes);
  if (!header) {
    require(header.error().code == Errc::kImpossible, "what is no swap area is kImpossible");
    require(!header.error().detail.empty(), "a refusal says why");
    return;
  }
  require(!describe(header->signature).empty(), "every signature has a name");
  if (header->signature == SwapSignature::kTuxOnIce) return;  // it has no header of mkswap's
  require(header->page_bytes <= bytes.size(), "the header lies within what was read");
  require(header->last_page > 0 && header->last_page < area_bytes / header->page_bytes,
          "the area lies within its device");
  const auto page = bytes.first(header->page_bytes);
  const auto bad = bad_pages_of(page);
  require(bad.size() == header->bad_page_count, "all bad pages are listed");
  for (const std::uint32_t entry : bad)
    require(entry >= 1 && entry <= header->last_page, "bad pages lie within the area");
  if (header->signature != SwapSignature::kPlain) return;
  // A mark changes nothing that a reader of the header depends on, and can be undone.
  std::vector<std::byte> marked(page.begin(), page.end());
  put_mark(marked, DeviceOffset{4096});
  const auto again = decode_swap_header(marked, area_bytes);
  require(again && again->signature == SwapSignature::kUserMark && again->last_page == header->last_page &&
              bad_pages_of(marked) == bad,
          "a marked header is a valid header");
  put_tail(marked, header->tail);
  require(std::ranges::equal(marked, page), "undoing a mark gives every byte back");
}

}  // namespace
}  // namespace dormouse::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dormouse::test;
  const auto input = input_bytes(data, size);
  check(input, std::uint64_t{1} << 40);
  const std::size_t page_bytes = input.size() <= 4096 ? 4096 : input.size() <= 16384 ? 16384 : 65536;
  const auto page = padded(input, page_bytes);
  check(page, std::uint64_t{1} << 40);
  check(page, 100 * page_bytes);
  return 0;
}
