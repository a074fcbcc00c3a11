/// The header page of a swap area, and the mark that makes an image findable.
/// Source: kernel-facts B; mkswap(8) writes it, swapon(2) reads it. FORMAT.md, "Swap header and mark".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dormouse/error.h"
#include "dormouse/swap_area.h"
#include "dormouse/units.h"

#include "base/little_endian.h"

namespace dormouse {

/// The bytes a mark changes: the last 28 of the header page.
struct MarkTail {
  Le64 image_header_offset;                 ///< bytes from the start of the block device
  std::array<char, 10> original_signature;  ///< what stood in `signature` before
  std::array<char, 10> signature;
};
static_assert(sizeof(MarkTail) == 28);

inline constexpr std::string_view kPlainSignature{"SWAPSPACE2", 10};
inline constexpr std::string_view kUserSignature{"ULSUSPEND\0", 10};

/// A swap header that has been validated.
struct SwapHeader {
  std::uint32_t page_bytes = 0;  ///< page size of the kernel that made it: 4096, 16384 or 65536
  SwapSignature signature = SwapSignature::kPlain;
  std::uint32_t last_page = 0;  ///< index of the last usable page, counted from the header page
  std::uint32_t bad_page_count = 0;
  std::array<std::byte, 16> uuid{};
  MarkTail tail{};
};

/// Finds and validates a header. `bytes`: the start of the area, up to kMaxPageBytes of it. `area_bytes`:
/// all that its pages may lie in, such as the device; a last page beyond it is refused. kImpossible, with
/// words, for what is no usable swap area: no signature, other byte order, wrong version, last page 0 or
/// beyond the device, a bad-page list that is too long, unsorted entries being allowed but not ones outside
/// the area. A marked header is a valid header.
Result<SwapHeader> decode_swap_header(std::span<const std::byte> bytes, std::uint64_t area_bytes);

/// Entry `index` of the bad-page list. Requires: index < bad_page_count, `page` is the header page.
std::uint32_t bad_page(std::span<const std::byte> page, std::uint32_t index);
/// The whole list of a validated header page.
std::vector<std::uint32_t> bad_pages_of(std::span<const std::byte> page);

/// Writes the mark into `page`, keeping the signature found there as the original.
/// Requires: page.size() is the page size and the page carries kPlainSignature.
void put_mark(std::span<std::byte> page, DeviceOffset image_header);

/// The last 28 bytes of `page`.
MarkTail get_tail(std::span<const std::byte> page);
void put_tail(std::span<std::byte> page, const MarkTail& tail);

}  // namespace dormouse
