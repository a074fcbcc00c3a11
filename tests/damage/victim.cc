#include "damage/victim.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "image/reference_image.h"
#include "image/reference_records.h"
#include "image/seal_bed.h"
#include "support/page_patterns.h"
#include "swap/swap_disk.h"

namespace dormouse::test {
namespace {

constexpr std::uint64_t kSparePages = 9;
constexpr std::size_t kHeaderBytes = 3584;

// Room for the longer image that was there before.
std::uint64_t area_pages(const VictimShape& shape) {
  return shape.image_pages + shape.image_pages / 4 + shape.image_pages / shape.chunk_pages + 8;
}

SwapShape swap_shape(const VictimShape& shape) {
  return {.page_bytes = shape.page_bytes,
          .last_page = static_cast<std::uint32_t>(area_pages(shape)),
          .bad_pages = {},
          .header_page = shape.header_page,
          .spare_pages = kSparePages};
}

/// Each image has its own key, as a writer would draw it. The raw key is what readers use; a passphrase is
/// one more way.
ReferenceSealing sealing_for(std::uint64_t seed) {
  ReferenceSealing sealing{.cipher = static_cast<std::uint8_t>(Cipher::kAes256Gcm)};
  sealing.image_key.fill(static_cast<std::byte>(seed));
  ReferenceWay way = raw_secret();
  way.wrap_nonce.fill(static_cast<std::byte>(seed));
  sealing.ways = {way, {.way = 1, .passphrase = std::string(kPassphrase)}};
  return sealing;
}

ReferenceSettings settings_for(const VictimShape& shape, std::uint64_t seed) {
  ReferenceSettings settings;
  settings.page_bytes = shape.page_bytes;
  settings.chunk_pages = shape.chunk_pages;
  settings.codecs = {{.id = CodecId::kStored, .level = 0},
                     {.id = CodecId::kLzf, .level = 0},
                     {.id = CodecId::kLz4, .level = 1},
                     {.id = CodecId::kZstd, .level = 1}};
  if (!shape.codecs.empty()) settings.codecs = shape.codecs;
  SeededRandom random(seed);
  for (std::byte& b : settings.image_id) b = static_cast<std::byte>(random.next());
  settings.created_unix_seconds = 1'150'000'000 + seed;
  settings.size_cap_bytes = 1 << 20;
  settings.area_header_page = shape.header_page;
  settings.ram_bytes = 512U << 20;
  if (shape.sealed) settings.sealing = sealing_for(seed);
  const auto page = make_swap_page(swap_shape(shape));
  std::copy_n(page.end() - 28, 28, settings.original_tail.begin());
  std::copy_n(page.begin() + 1036, 16, settings.area_uuid.begin());
  // Scattered, but the same for both images, so that every page of one lies on a page of the other.
  settings.places.resize(area_pages(shape));
  std::iota(settings.places.begin(), settings.places.end(), shape.header_page + 1);
  SeededRandom order(7);
  for (std::size_t i = settings.places.size(); i > 1; --i)
    std::swap(settings.places[i - 1], settings.places[order.below(i)]);
  return settings;
}

}  // namespace

std::string_view record_name(RecordKind kind) {
  switch (kind) {
    case RecordKind::kImageHeader:
      return "image header";
    case RecordKind::kNote:
      return "resume note";
    case RecordKind::kMapHeader:
      return "map page header";
    case RecordKind::kChunk:
      return "chunk header";
    case RecordKind::kExtent:
      return "extent";
    case RecordKind::kExtents:
      return "extents record";
    case RecordKind::kClosing:
      return "closing record";
  }
  return "";
}

std::vector<VictimShape> victim_shapes() {
  return {
      {.name = "partition", .chunk_pages = 4, .image_pages = 35},
      {.name = "long_map", .chunk_pages = 48, .image_pages = 1205, .only_map = true, .every_record = false},
      {.name = "swap_file",
       .page_bytes = 16384,
       .chunk_pages = 4,
       .image_pages = 31,
       .header_page = 3,
       .every_record = false},
      {.name = "sealed", .chunk_pages = 4, .image_pages = 35, .sealed = true}};
}

KeyFile victim_key() {
  return make_raw_key();
}

VictimShape victim_shape(std::string_view name) {
  for (const VictimShape& shape : victim_shapes()) {
    if (shape.name == name) return shape;
  }
  throw std::runtime_error("no such shape");
}

Victim::Victim(const VictimShape& shape)
    : shape_(shape),
      area_end_page_(shape.header_page + area_pages(shape) + 1),
      disk_(make_swap_disk(swap_shape(shape))) {
  write_images();
  put_note();
  take_apart();
  sound_.assign(disk_.bytes().begin(), disk_.bytes().end());
}

void Victim::write_images() {
  const auto older = make_pattern(PagePattern::kText, 1, (shape_.image_pages * 5 / 4) * shape_.page_bytes);
  write_reference_image(older, settings_for(shape_, 1), disk_);
  stream_ = make_pattern(PagePattern::kText, 2, shape_.image_pages * shape_.page_bytes);
  const std::size_t chunk_bytes = std::size_t{shape_.chunk_pages} * shape_.page_bytes;
  for (std::size_t i = chunk_bytes; shape_.repeats && i < stream_.size(); ++i)
    stream_[i] = stream_[i - chunk_bytes];
  header_at_ = DeviceOffset{write_reference_image(stream_, settings_for(shape_, 2), disk_)};
  mark_reference_area(disk_, shape_.header_page * shape_.page_bytes, shape_.page_bytes, to_bytes(header_at_));
}

void Victim::put_note() {
  const auto note = disk_.mutable_bytes(to_bytes(header_at_) + kHeaderBytes, 512);
  put_text_at(note, 0, "DMRESUME");
  std::ranges::copy(disk_.bytes().subspan(to_bytes(header_at_) + 32, 16), note.begin() + 8);
  put_integer(note, 24, 1, 4);
  put_integer(note, 32, 2'000'000'000, 8);
  put_integer(note, 48, 1'000'000, 8);
  put_integer(note, 504, hash64(note), 8);
}

// Follows the map as FORMAT.md describes it. The image is sound, so nothing is checked.
void Victim::take_apart() {
  const auto bytes = disk_.bytes();
  const std::uint64_t header = to_bytes(header_at_);
  records_.push_back({.kind = RecordKind::kImageHeader, .at = header, .bytes = kHeaderBytes, .chunk = 0});
  records_.push_back({.kind = RecordKind::kNote, .at = header + kHeaderBytes, .bytes = 512, .chunk = 0});
  std::uint64_t chunk = 0;  // the one that is due
  std::uint64_t missing = 0;
  for (std::uint64_t page = get_integer(bytes, header + 72, 8); page != 0;) {
    const std::uint64_t start = page * shape_.page_bytes;
    records_.push_back({.kind = RecordKind::kMapHeader, .at = start, .bytes = 64, .chunk = chunk});
    const std::uint64_t end = start + 64 + get_integer(bytes, start + 40, 4);
    for (std::uint64_t at = start + 64; at < end;) {
      const std::uint64_t type = get_integer(bytes, at, 2);
      const RecordKind kind = type == 1   ? RecordKind::kChunk
                              : type == 2 ? RecordKind::kExtents
                                          : RecordKind::kClosing;
      const std::size_t size = type == 1 ? 48 : type == 2 ? 8 : 64;
      records_.push_back({.kind = kind, .at = at, .bytes = size, .chunk = chunk});
      if (type == 1) missing = (get_integer(bytes, at + 28, 4) + shape_.page_bytes - 1) / shape_.page_bytes;
      const std::uint64_t count = type == 3 ? 0 : get_integer(bytes, at + 2, 2);
      at += size;
      for (std::uint64_t i = 0; i < count; ++i, at += 8) {
        records_.push_back({.kind = RecordKind::kExtent, .at = at, .bytes = 8, .chunk = chunk});
        missing -= get_integer(bytes, at, 8) >> 44;
      }
      if (type != 3 && missing == 0) ++chunk;
    }
    page = get_integer(bytes, start + 32, 8);
  }
}

ImageBounds Victim::bounds() const {
  return {
      .end_page = area_end_page_, .swap_header_page = shape_.header_page, .page_bytes = shape_.page_bytes};
}

std::vector<RecordPlace> Victim::records(RecordKind kind) const {
  std::vector<RecordPlace> found;
  std::ranges::copy_if(records_, std::back_inserter(found), [&](const auto& r) { return r.kind == kind; });
  return found;
}

std::uint64_t Victim::chunks() const {
  return records(RecordKind::kChunk).size();
}

std::vector<RecordPlace> Victim::extents_of(std::uint64_t chunk) const {
  auto found = records(RecordKind::kExtent);
  std::erase_if(found, [&](const auto& r) { return r.chunk != chunk; });
  return found;
}

RecordPlace Victim::map_page_of(std::uint64_t at) const {
  for (const RecordPlace& page : records(RecordKind::kMapHeader)) {
    if (page.at <= at && at < page.at + shape_.page_bytes) return page;
  }
  throw std::runtime_error("not in the map");
}

std::uint64_t Victim::last_page_of(std::uint64_t chunk) const {
  return std::min<std::uint64_t>((chunk + 1) * shape_.chunk_pages, shape_.image_pages) - 1;
}

std::span<std::byte> Victim::change(std::uint64_t at, std::size_t bytes) {
  changed_.push_back({.start = DeviceOffset{at}, .length = bytes});
  return disk_.mutable_bytes(at, bytes);
}

void Victim::put(std::uint64_t at, std::span<const std::byte> bytes) {
  if (at < kept_at_ + kept_bytes_ && kept_at_ < at + bytes.size()) return;
  std::ranges::copy(bytes, change(at, bytes.size()).begin());
}

void Victim::seal_header() {
  const std::uint64_t header = to_bytes(header_at_);
  const ReferenceSealing sealing = sealing_for(2);
  Bytes map;
  for (const RecordPlace& r : records(RecordKind::kMapHeader))
    append(map, disk_.bytes().subspan(r.at, shape_.page_bytes));
  put(header + 544, reference_sha256(map));
  // Of the image as it was: with another id or cipher it is another image.
  const auto id = std::span<const std::byte>(sound_).subspan(header + 32, 16);
  const ReferenceKey key = reference_data_key(sealing.image_key, sealing.cipher, id);
  put(header + 576,
      reference_seal(sealing.cipher, key, 1, 0, header_data(disk_.bytes().subspan(header, 3584)), {}));
}

void Victim::reseal(std::uint64_t at, std::size_t kept, bool keyed) {
  kept_at_ = at;
  kept_bytes_ = kept;
  const std::uint64_t header = to_bytes(header_at_);
  Bytes headers;
  for (const RecordPlace& r : records(RecordKind::kChunk))
    append(headers, disk_.bytes().subspan(r.at, r.bytes));
  const Bytes digest = hash128(headers);
  put(header + 120, digest);
  put(records_.back().at + 40, digest);

  const auto seal = [&](std::uint64_t start, std::size_t length, std::size_t field) {
    std::vector<std::byte> bytes(disk_.bytes().begin() + static_cast<std::ptrdiff_t>(start),
                                 disk_.bytes().begin() + static_cast<std::ptrdiff_t>(start + length));
    put_integer(bytes, field, 0, 8);
    std::vector<std::byte> sum(8);
    put_integer(sum, 0, hash64(bytes), 8);
    put(start + field, sum);
  };
  for (const RecordPlace& r : records_) {
    if (r.kind == RecordKind::kMapHeader) seal(r.at, shape_.page_bytes, 56);
  }
  if (shape_.sealed && keyed) seal_header();
  seal(header, kHeaderBytes, 3576);
  seal(header + kHeaderBytes, 512, 504);
}

void Victim::restore() {
  for (const ByteRange& range : changed_) {
    const std::uint64_t at = to_bytes(range.start);
    std::memcpy(disk_.mutable_bytes(at, range.length).data(), sound_.data() + at, range.length);
  }
  changed_.clear();
}

bool Victim::is_restored() const {
  return std::ranges::equal(disk_.bytes(), sound_);
}

}  // namespace dormouse::test
