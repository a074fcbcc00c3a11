#include "golden/golden_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "image/reference_image.h"
#include "swap/swap_disk.h"

namespace dormouse::test {
namespace {

constexpr std::uint32_t kPageBytes = 4096;
const SwapShape kShape{
    .page_bytes = kPageBytes, .last_page = 11, .bad_pages = {}, .header_page = 0, .spare_pages = 0};

/// `first`, and one more in each byte.
template <std::size_t N>
std::array<std::byte, N> counted(std::uint8_t first) {
  std::array<std::byte, N> bytes;
  for (std::size_t i = 0; i < N; ++i) bytes[i] = static_cast<std::byte>(first + i);
  return bytes;
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte b : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(b));
  return text;
}

ReferenceSettings golden_settings() {
  ReferenceSettings settings;
  settings.chunk_pages = 2;
  settings.codecs = {{.id = CodecId::kStored, .level = 0},
                     {.id = CodecId::kLzf, .level = 0},
                     {.id = CodecId::kLz4, .level = 1},
                     {.id = CodecId::kZstd, .level = 1}};
  settings.image_id = counted<16>(0x10);
  settings.created_unix_seconds = 1'150'000'000;  // June 2006
  settings.size_cap_bytes = 32768;
  const auto swap_page = make_swap_page(kShape);
  std::copy_n(swap_page.end() - 28, 28, settings.original_tail.begin());
  std::copy_n(swap_page.begin() + 1036, 16, settings.area_uuid.begin());
  settings.ram_bytes = 512U << 20;
  settings.host = "teapot";
  settings.writer = "dormouse 0.1.0";
  settings.places.resize(kShape.last_page);
  std::iota(settings.places.begin(), settings.places.end(), 1);
  return settings;
}

MemoryBlockDevice make_area(const ReferenceSettings& settings) {
  MemoryBlockDevice disk = make_swap_disk(kShape);
  mark_reference_area(disk, 0, kPageBytes, write_reference_image(golden_stream(), settings, disk));
  return disk;
}

}  // namespace

std::vector<std::byte> golden_stream() {
  constexpr std::string_view kText =
      "The dormouse sleeps through the winter, curled up, heart at five beats a minute. ";
  std::vector<std::byte> stream(8 * kPageBytes);
  std::uint32_t noise = 2006;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    noise = noise * 1664525 + 1013904223;
    const bool text = i >= 2 * std::size_t{kPageBytes};
    stream[i] = text ? static_cast<std::byte>(kText[(i + i / kPageBytes) % kText.size()])
                     : static_cast<std::byte>(noise >> 24);
  }
  return stream;
}

MemoryBlockDevice make_golden_area() {
  return make_area(golden_settings());
}

ReferenceSealing golden_sealing() {
  ReferenceWay passphrase{.way = 1, .passphrase = "seven sleepers"};
  passphrase.memory_kib = 64;
  passphrase.passes = 2;
  passphrase.salt = counted<16>(0x20);
  passphrase.wrap_nonce = counted<12>(0x30);
  passphrase.ephemeral_key = counted<32>(0x38);
  ReferenceWay pair{.way = 2, .passphrase = "a pair of mice"};
  pair.private_key = counted<32>(0x40);
  pair.ephemeral_key = counted<32>(0x60);
  pair.salt = counted<16>(0x80);
  pair.wrap_nonce = counted<12>(0x90);
  pair.private_nonce = counted<12>(0xa0);
  ReferenceWay file{.way = 3};
  file.raw_key = counted<32>(0x00);
  file.salt = counted<16>(0xb0);
  file.wrap_nonce = counted<12>(0xc0);
  file.ephemeral_key = counted<32>(0xc8);
  return {.cipher = 2, .image_key = counted<32>(0xd0), .ways = {passphrase, pair, file}};
}

std::vector<std::pair<std::string, std::string>> golden_key_texts() {
  const ReferenceSealing sealing = golden_sealing();
  const MemoryBlockDevice disk = make_sealed_golden_area();
  const auto header = disk.bytes().subspan(kPageBytes, kPageBytes);
  const auto chunk = disk.bytes().subspan(2 * kPageBytes + 64, 48);
  const auto id = header.subspan(32, 16);
  return {{"key file", hex(sealing.ways[2].raw_key)},
          {"K", hex(sealing.image_key)},
          {"D", hex(reference_data_key(sealing.image_key, sealing.cipher, id))},
          {"slot 0: key", hex(header.subspan(592 + 48, 32))},
          {"slot 0: tag", hex(header.subspan(592 + 80, 16))},
          {"slot 1: public", hex(header.subspan(592 + 256 + 128, 32))},
          {"slot 1: key", hex(header.subspan(592 + 256 + 48, 32))},
          {"slot 1: tag", hex(header.subspan(592 + 256 + 80, 16))},
          {"slot 2: key", hex(header.subspan(592 + 512 + 48, 32))},
          {"slot 2: tag", hex(header.subspan(592 + 512 + 80, 16))},
          {"chunk 0: tag", hex(chunk.subspan(32, 16))},
          {"map_digest", hex(header.subspan(544, 32))},
          {"header_tag", hex(header.subspan(576, 16))}};
}

MemoryBlockDevice make_sealed_golden_area() {
  ReferenceSettings settings = golden_settings();
  settings.sealing = golden_sealing();
  return make_area(settings);
}

}  // namespace dormouse::test
