#include "image/reference_image.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "image/reference_records.h"

namespace dormouse::test {
namespace {

void append_integer(Bytes& to, std::uint64_t value, std::size_t size) {
  to.resize(to.size() + size);
  put_integer(to, to.size() - size, value, size);
}

class Writer {
 public:
  Writer(std::span<const std::byte> image, const ReferenceSettings& settings, MemoryBlockDevice& device)
      : image_(image), s_(settings), device_(device) {
    if (s_.sealing) data_key_ = reference_data_key(s_.sealing->image_key, s_.sealing->cipher, s_.image_id);
  }

  std::uint64_t write() {
    const std::uint64_t header_page = take_place();
    first_map_page_ = map_page_ = take_place();
    const std::size_t chunk_bytes = std::size_t{s_.chunk_pages} * s_.page_bytes;
    for (std::size_t at = 0; at < image_.size(); at += chunk_bytes) {
      add_chunk(image_.subspan(at, std::min(chunk_bytes, image_.size() - at)));
    }
    Bytes closing;
    append_integer(closing, 3, 8);
    append_integer(closing, chunks_, 8);
    append_integer(closing, image_.size() / s_.page_bytes, 8);
    append_integer(closing, stored_pages_, 8);
    make_room(64);
    append_integer(closing, map_pages_, 8);
    digest_ = hash128(chunk_headers_);
    append(closing, digest_);
    append_integer(closing, 0, 8);
    append(records_, closing);
    store_map_page(0);
    store_header(header_page);
    return header_page * s_.page_bytes;
  }

 private:
  std::uint64_t take_place() { return s_.places.at(next_place_++); }
  void store(std::uint64_t page, std::span<const std::byte> bytes) {
    std::memcpy(device_.mutable_bytes(page * s_.page_bytes, bytes.size()).data(), bytes.data(), bytes.size());
  }
  [[nodiscard]] std::size_t room() const { return s_.page_bytes - 64 - records_.size(); }

  void make_room(std::size_t bytes) {
    if (room() >= bytes) return;
    const std::uint64_t next = take_place();
    store_map_page(next);
    map_page_ = next;
    ++map_pages_;
  }

  void store_map_page(std::uint64_t next) {
    Bytes page(s_.page_bytes);
    put_text_at(page, 0, "DMSWAPMP");
    std::ranges::copy(s_.image_id, page.begin() + 8);
    put_integer(page, 24, map_pages_ - 1, 8);
    put_integer(page, 32, next, 8);
    put_integer(page, 40, records_.size(), 4);
    std::ranges::copy(records_, page.begin() + 64);
    put_integer(page, 56, hash64(page), 8);
    store(map_page_, page);
    if (s_.sealing) append(map_, page);
    records_.clear();
  }

  void add_chunk(std::span<const std::byte> pages) {
    const CodecSpec spec = s_.codecs[chunks_ % s_.codecs.size()];
    Bytes stored(pages.begin(), pages.end());
    std::size_t packed_bytes = pages.size();
    auto codec = make_codec(spec, pages.size());
    if (!codec) throw std::runtime_error(codec.error().what());
    Bytes packed(pages.size() - s_.page_bytes);
    const auto size = (*codec)->pack(pages, packed);
    if (size) {
      packed_bytes = *size;
      packed.resize(*size);
      packed.resize((*size + s_.page_bytes - 1) / s_.page_bytes * s_.page_bytes);
      stored = packed;
    }
    const CodecId used = size ? spec.id : CodecId::kStored;
    count(size ? spec : CodecSpec{.id = CodecId::kStored, .level = 0});

    std::vector<std::uint64_t> extents;
    for (std::size_t at = 0; at < stored.size(); at += s_.page_bytes)
      extents.push_back(take_place() | (std::uint64_t{1} << 44));
    stored_pages_ += extents.size();
    make_room(48 + 8);
    std::size_t fits = std::min(extents.size(), (room() - 48) / 8);
    Bytes header;
    append_integer(header, 1, 2);
    append_integer(header, fits, 2);
    append_integer(header, static_cast<std::uint8_t>(used), 4);
    append_integer(header, chunks_, 8);
    append_integer(header, chunks_ * s_.chunk_pages, 8);
    append_integer(header, pages.size() / s_.page_bytes, 4);
    append_integer(header, packed_bytes, 4);
    if (s_.sealing) {
      const Bytes data = chunk_data(s_.image_id, header);
      append(header, reference_seal(s_.sealing->cipher, data_key_, 0, chunks_, data, stored));
    } else {
      append_integer(header, hash64(stored), 8);
      append_integer(header, hash64(pages), 8);
    }
    for (std::size_t i = 0; i < extents.size(); ++i)
      store(extents[i] & ((std::uint64_t{1} << 44) - 1),
            std::span(stored).subspan(i * s_.page_bytes, s_.page_bytes));
    append(chunk_headers_, header);
    append(records_, header);
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (fits == 0) {
        make_room(16);
        fits = std::min(extents.size() - i, (room() - 8) / 8);
        append_integer(records_, 2, 2);
        append_integer(records_, fits, 2);
        append_integer(records_, 0, 4);
      }
      append_integer(records_, extents[i], 8);
      --fits;
    }
    ++chunks_;
  }

  void count(const CodecSpec& spec) {
    for (auto& [counted, chunks] : counts_) {
      if (counted != spec) continue;
      ++chunks;
      return;
    }
    counts_.emplace_back(spec, 1);
  }

  void store_header(std::uint64_t header_page) {
    Bytes page(s_.page_bytes);
    put_text_at(page, 0, "DORMOUSE");
    put_integer(page, 8, 1, 4);
    put_integer(page, 20, 1, 1);
    put_integer(page, 21, static_cast<std::uint8_t>(s_.codecs[0].id), 1);
    put_integer(page, 24, s_.page_bytes, 4);
    put_integer(page, 28, s_.chunk_pages, 4);
    std::ranges::copy(s_.image_id, page.begin() + 32);
    put_integer(page, 48, s_.created_unix_seconds, 8);
    put_integer(page, 56, image_.size() / s_.page_bytes, 8);
    put_integer(page, 64, chunks_, 8);
    put_integer(page, 72, first_map_page_, 8);
    put_integer(page, 80, map_pages_, 8);
    put_integer(page, 88, stored_pages_ + map_pages_ + 1, 8);
    put_integer(page, 100, static_cast<std::uint32_t>(s_.codecs[0].level), 4);
    put_integer(page, 108, 1, 4);
    put_integer(page, 112, s_.size_cap_bytes, 8);
    std::ranges::copy(digest_, page.begin() + 120);
    std::ranges::copy(s_.original_tail, page.begin() + 160);
    std::ranges::copy(s_.area_uuid, page.begin() + 192);
    put_integer(page, 208, s_.area_header_page, 8);
    put_integer(page, 216, s_.ram_bytes, 8);
    put_text_at(page, 224, s_.architecture);
    put_text_at(page, 240, s_.kernel_release);
    put_text_at(page, 312, s_.host);
    put_text_at(page, 376, s_.writer);
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const std::size_t at = 408 + 16 * i;
      put_integer(page, at, static_cast<std::uint8_t>(counts_[i].first.id), 1);
      put_integer(page, at + 4, static_cast<std::uint32_t>(counts_[i].first.level), 4);
      put_integer(page, at + 8, counts_[i].second, 8);
    }
    if (s_.sealing) seal_header(page);
    put_integer(page, 3576, hash64(std::span(page).first(3584)), 8);
    store(header_page, page);
  }

  void seal_header(Bytes& page) {
    put_integer(page, 12, 1, 4);
    put_integer(page, 536, s_.sealing->cipher, 1);
    put_integer(page, 537, s_.sealing->ways.size(), 1);
    std::ranges::copy(reference_sha256(map_), page.begin() + 544);
    auto slot = page.begin() + 592;
    for (const ReferenceWay& way : s_.sealing->ways)
      slot = std::ranges::copy(make_reference_slot(way, *s_.sealing, s_.image_id), slot).out;
    const Bytes data = header_data(page);
    std::ranges::copy(reference_seal(s_.sealing->cipher, data_key_, 1, 0, data, {}), page.begin() + 576);
  }

  std::span<const std::byte> image_;
  const ReferenceSettings& s_;
  MemoryBlockDevice& device_;
  ReferenceKey data_key_{};
  Bytes map_;  // all its pages, of a sealed image
  std::size_t next_place_ = 0;
  std::uint64_t first_map_page_ = 0;
  std::uint64_t map_page_ = 0;
  std::uint64_t map_pages_ = 1;
  std::uint64_t chunks_ = 0;
  std::uint64_t stored_pages_ = 0;
  std::vector<std::pair<CodecSpec, std::uint64_t>> counts_;
  Bytes records_;
  Bytes chunk_headers_;
  Bytes digest_;
};

}  // namespace

std::uint64_t write_reference_image(std::span<const std::byte> image, const ReferenceSettings& settings,
                                    MemoryBlockDevice& device) {
  return Writer(image, settings, device).write();
}

void mark_reference_area(MemoryBlockDevice& device, std::uint64_t area_offset, std::uint32_t page_bytes,
                         std::uint64_t header_offset) {
  const auto tail = device.mutable_bytes(area_offset + page_bytes - 28, 28);
  put_integer(tail, 0, header_offset, 8);
  std::memmove(tail.data() + 8, tail.data() + 18, 10);
  put_text_at(tail, 18, std::string_view("ULSUSPEND\0", 10));
}

}  // namespace dormouse::test
