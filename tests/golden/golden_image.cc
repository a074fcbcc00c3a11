#include "golden/golden_image.h"

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
  MemoryBlockDevice disk = make_swap_disk(kShape);
  ReferenceSettings settings;
  settings.chunk_pages = 2;
  settings.codecs = {{.id = CodecId::kStored, .level = 0},
                     {.id = CodecId::kLzf, .level = 0},
                     {.id = CodecId::kLz4, .level = 1},
                     {.id = CodecId::kZstd, .level = 1}};
  for (std::size_t i = 0; i < settings.image_id.size(); ++i)
    settings.image_id[i] = static_cast<std::byte>(0x10 + i);
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
  const auto stream = golden_stream();
  const auto header_at = write_reference_image(stream, settings, disk);
  mark_reference_area(disk, 0, kPageBytes, header_at);
  return disk;
}

}  // namespace dormouse::test
