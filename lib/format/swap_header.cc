#include "format/swap_header.h"

#include <cstring>

namespace dormouse {
namespace {

constexpr std::size_t kVersionOffset = 1024;
constexpr std::size_t kLastPageOffset = 1028;
constexpr std::size_t kBadPagesOffset = 1032;
constexpr std::size_t kUuidOffset = 1036;
constexpr std::size_t kBadListOffset = 1536;
constexpr std::uint32_t kSwappedVersion = 0x01000000;
constexpr std::array<std::uint32_t, 3> kPageSizes = {4096, 16384, 65536};
constexpr std::array<unsigned char, 8> kTuxOnIceMagic = {0xed, 0xc3, 0x02, 0xe9, 0x98, 0x56, 0xe5, 0x0c};

struct KnownSignature {
  std::string_view text;
  SwapSignature signature;
};
// The mark's signatures are compared over the bytes that all their writers agree on (libblkid: the first
// nine).
constexpr std::array<KnownSignature, 5> kSignatures = {{{kPlainSignature, SwapSignature::kPlain},
                                                        {"ULSUSPEND", SwapSignature::kUserMark},
                                                        {"S1SUSPEND", SwapSignature::kKernel},
                                                        {"S2SUSPEND", SwapSignature::kS2Suspend},
                                                        {"LINHIB0001", SwapSignature::kLinhib}}};

std::uint32_t load32(std::span<const std::byte> bytes, std::size_t offset) {
  Le32 value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

bool find_signature(std::span<const std::byte> bytes, SwapHeader& header) {
  if (bytes.size() >= kMinPageBytes &&
      std::memcmp(bytes.data(), kTuxOnIceMagic.data(), kTuxOnIceMagic.size()) == 0) {
    header.page_bytes = kMinPageBytes;
    header.signature = SwapSignature::kTuxOnIce;
    return true;
  }
  for (const std::uint32_t page_bytes : kPageSizes) {
    if (bytes.size() < page_bytes) break;
    const char* at = reinterpret_cast<const char*>(bytes.data()) + page_bytes - 10;
    for (const auto& known : kSignatures) {
      if (std::memcmp(at, known.text.data(), known.text.size()) != 0) continue;
      header.page_bytes = page_bytes;
      header.signature = known.signature;
      return true;
    }
  }
  return false;
}

Failure refuse() {
  return fail(Errc::kImpossible, "read swap header");
}

}  // namespace

std::string_view describe(SwapSignature signature) {
  switch (signature) {
    case SwapSignature::kPlain:
      return "plain swap";
    case SwapSignature::kUserMark:
      return "a user-space hibernation image (ULSUSPEND)";
    case SwapSignature::kKernel:
      return "a stock kernel's hibernation image (S1SUSPEND)";
    case SwapSignature::kS2Suspend:
      return "an old kernel's or TuxOnIce's hibernation image (S2SUSPEND)";
    case SwapSignature::kLinhib:
      return "a hibernation image (LINHIB0001)";
    case SwapSignature::kTuxOnIce:
      return "a TuxOnIce hibernation image";
  }
  return "an unknown signature";
}

Result<SwapHeader> decode_swap_header(std::span<const std::byte> bytes, std::uint64_t area_bytes) {
  SwapHeader header;
  if (bytes.size() < kMinPageBytes || !find_signature(bytes, header)) {
    return refuse().because("no swap signature was found: this is not a swap area (mkswap makes one)");
  }
  if (header.signature == SwapSignature::kTuxOnIce) return header;  // its header is not mkswap's any more

  const auto page = bytes.first(header.page_bytes);
  header.tail = get_tail(page);
  const std::uint32_t version = load32(page, kVersionOffset);
  if (version == kSwappedVersion) {
    return refuse().because(
        "the swap area was made by a machine of the other byte order; make it anew with mkswap");
  }
  if (version != 1) return refuse().because("swap header version is {}, only 1 is known", version);

  header.last_page = load32(page, kLastPageOffset);
  header.bad_page_count = load32(page, kBadPagesOffset);
  std::memcpy(header.uuid.data(), page.data() + kUuidOffset, header.uuid.size());

  const std::uint64_t device_pages = area_bytes / header.page_bytes;
  if (header.last_page == 0)
    return refuse().because("the swap header gives the area no page at all (last page 0)");
  if (header.last_page >= device_pages) {
    return refuse().because(
        "the swap header's last page is {} but the device ends at page {}; it was made for a larger one",
        header.last_page, device_pages);
  }
  // The list must leave the mark's 28 bytes alone, or marking would destroy bad-page entries.
  const std::size_t room = (header.page_bytes - sizeof(MarkTail) - kBadListOffset) / 4;
  if (header.bad_page_count > room) {
    return refuse().because("the swap header lists {} bad pages; at most {} leave room for a mark",
                            header.bad_page_count, room);
  }
  for (std::uint32_t i = 0; i < header.bad_page_count; ++i) {
    const std::uint32_t bad = bad_page(page, i);
    if (bad == 0 || bad > header.last_page) {
      return refuse().because("entry {} of the bad-page list is {}, outside the area's pages 1 to {}", i, bad,
                              header.last_page);
    }
  }
  return header;
}

std::uint32_t bad_page(std::span<const std::byte> page, std::uint32_t index) {
  return load32(page, kBadListOffset + 4 * std::size_t{index});
}

std::vector<std::uint32_t> bad_pages_of(std::span<const std::byte> page) {
  std::vector<std::uint32_t> bad(load32(page, kBadPagesOffset));
  for (std::uint32_t i = 0; i < bad.size(); ++i) bad[i] = bad_page(page, i);
  return bad;
}

MarkTail get_tail(std::span<const std::byte> page) {
  MarkTail tail;
  std::memcpy(&tail, page.data() + page.size() - sizeof tail, sizeof tail);
  return tail;
}

void put_tail(std::span<std::byte> page, const MarkTail& tail) {
  std::memcpy(page.data() + page.size() - sizeof tail, &tail, sizeof tail);
}

void put_mark(std::span<std::byte> page, DeviceOffset image_header) {
  MarkTail tail = get_tail(page);
  tail.image_header_offset = to_bytes(image_header);
  tail.original_signature = tail.signature;
  std::memcpy(tail.signature.data(), kUserSignature.data(), tail.signature.size());
  put_tail(page, tail);
}

}  // namespace dormouse
