#include "image/reference_image.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>

#include "swap/swap_disk.h"

namespace dormouse::test {
namespace {

using Bytes = std::vector<std::byte>;

std::uint64_t hash64(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

Bytes hash128(std::span<const std::byte> bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  Bytes digest(16);
  std::memcpy(digest.data(), canonical.digest, 16);
  return digest;
}

void append(Bytes& to, std::span<const std::byte> more) {
  to.insert(to.end(), more.begin(), more.end());
}
void append_integer(Bytes& to, std::uint64_t value, std::size_t size) {
  to.resize(to.size() + size);
  put_integer(to, to.size() - size, value, size);
}

class Writer {
 public:
  Writer(std::span<const std::byte> image, const ReferenceSettings& settings, MemoryBlockDevice& device)
      : image_(image), s_(settings), device_(device) {}

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
    for (std::size_t at = 0; at < stored.size(); at += s_.page_bytes) {
      const std::uint64_t page = take_place();
      store(page, std::span(stored).subspan(at, s_.page_bytes));
      extents.push_back(page | (std::uint64_t{1} << 44));
    }
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
    append_integer(header, hash64(stored), 8);
    append_integer(header, hash64(pages), 8);
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
    put_integer(page, 3576, hash64(std::span(page).first(3584)), 8);
    store(header_page, page);
  }

  std::span<const std::byte> image_;
  const ReferenceSettings& s_;
  MemoryBlockDevice& device_;
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

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

class Reader {
 public:
  Reader(const MemoryBlockDevice& device, std::uint64_t header_offset) : device_(device) {
    header_ = device.bytes().subspan(header_offset, 4096);
    check_header();
  }

  Bytes read() {
    load_map_page(get_integer(header_, 72, 8));
    while (get_integer(records_, at_, 2) != 3) read_chunk();
    check_closing();
    return std::move(image_);
  }

 private:
  void check_header() {
    require(std::memcmp(header_.data(), "DORMOUSE", 8) == 0, "image header: magic");
    require(get_integer(header_, 8, 4) == 1, "image header: version");
    require(get_integer(header_, 12, 4) == 0, "image header: required features");
    require(get_integer(header_, 20, 1) == 1, "image header: byte order");
    Bytes zeroed(header_.begin(), header_.begin() + 3584);
    const std::uint64_t sum = get_integer(zeroed, 3576, 8);
    put_integer(zeroed, 3576, 0, 8);
    require(sum == hash64(zeroed), "image header: checksum");
    require(std::ranges::all_of(std::span(zeroed).subspan(536, 3040),
                                [](std::byte b) { return b == std::byte{0}; }),
            "image header: reserved");
    page_bytes_ = get_integer(header_, 24, 4);
  }

  void load_map_page(std::uint64_t page) {
    const auto bytes = device_.bytes().subspan(page * page_bytes_, page_bytes_);
    require(std::memcmp(bytes.data(), "DMSWAPMP", 8) == 0, "map page: magic");
    require(std::memcmp(bytes.data() + 8, header_.data() + 32, 16) == 0, "map page: image id");
    require(get_integer(bytes, 24, 8) == map_pages_, "map page: index");
    Bytes zeroed(bytes.begin(), bytes.end());
    put_integer(zeroed, 56, 0, 8);
    require(get_integer(bytes, 56, 8) == hash64(zeroed), "map page: checksum");
    next_ = get_integer(bytes, 32, 8);
    records_ = bytes.subspan(64, get_integer(bytes, 40, 4));
    at_ = 0;
    ++map_pages_;
  }

  void advance(std::size_t bytes) {
    at_ += bytes;
    if (at_ == records_.size() && next_ != 0) load_map_page(next_);
  }

  void read_chunk() {
    const auto record = records_.subspan(at_);
    require(get_integer(record, 0, 2) == 1, "chunk header: type");
    require(get_integer(record, 8, 8) == chunks_, "chunk header: number");
    require(get_integer(record, 16, 8) == image_.size() / page_bytes_, "chunk header: first page");
    append(chunk_headers_, record.first(48));
    const auto codec_id = get_integer(record, 4, 1);
    const std::size_t pages = get_integer(record, 24, 4);
    const std::size_t packed_bytes = get_integer(record, 28, 4);
    const std::uint64_t stored_sum = get_integer(record, 32, 8);
    const std::uint64_t pages_sum = get_integer(record, 40, 8);
    std::uint64_t due = (packed_bytes + page_bytes_ - 1) / page_bytes_;
    stored_pages_ += due;
    Bytes stored;
    std::size_t count = get_integer(record, 2, 2);
    std::size_t head = 48;
    while (true) {
      const auto extents = records_.subspan(at_ + head, 8 * count);
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t extent = get_integer(extents, 8 * i, 8);
        const std::uint64_t length = extent >> 44;
        require(length > 0 && length <= due, "extent: length");
        due -= length;
        append(stored, device_.bytes().subspan((extent & ((std::uint64_t{1} << 44) - 1)) * page_bytes_,
                                               length * page_bytes_));
      }
      advance(head + 8 * count);
      if (due == 0) break;
      require(get_integer(records_, at_, 2) == 2, "extents record: type");
      count = get_integer(records_, at_ + 2, 2);
      head = 8;
    }
    require(hash64(stored) == stored_sum, "chunk: checksum of what is stored");
    require(std::all_of(stored.begin() + static_cast<std::ptrdiff_t>(packed_bytes), stored.end(),
                        [](std::byte b) { return b == std::byte{0}; }),
            "chunk: padding");
    Bytes unpacked(pages * page_bytes_);
    auto codec =
        make_codec({.id = static_cast<CodecId>(codec_id), .level = codec_id >= 2 ? 1 : 0}, unpacked.size());
    require(codec.has_value(), "chunk: codec");
    stored.resize(packed_bytes);
    require((*codec)->unpack(stored, unpacked).has_value(), "chunk: unpack");
    require(hash64(unpacked) == pages_sum, "chunk: checksum of the pages");
    append(image_, unpacked);
    ++chunks_;
  }

  void check_closing() {
    const auto closing = records_.subspan(at_);
    require(closing.size() == 64 && next_ == 0, "closing record: the map goes on");
    require(get_integer(closing, 8, 8) == chunks_ && get_integer(header_, 64, 8) == chunks_,
            "closing record: chunks");
    const std::uint64_t pages = image_.size() / page_bytes_;
    require(get_integer(closing, 16, 8) == pages && get_integer(header_, 56, 8) == pages,
            "closing record: pages");
    require(get_integer(closing, 24, 8) == stored_pages_, "closing record: stored pages");
    require(get_integer(header_, 88, 8) == stored_pages_ + map_pages_ + 1, "image header: stored pages");
    require(get_integer(closing, 32, 8) == map_pages_ && get_integer(header_, 80, 8) == map_pages_,
            "closing: map pages");
    const Bytes digest = hash128(chunk_headers_);
    require(std::ranges::equal(digest, closing.subspan(40, 16)), "closing record: digest");
    require(std::ranges::equal(digest, header_.subspan(120, 16)), "image header: digest");
  }

  const MemoryBlockDevice& device_;
  std::span<const std::byte> header_;
  std::uint64_t page_bytes_ = 0;
  std::span<const std::byte> records_;
  std::size_t at_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t map_pages_ = 0;
  std::uint64_t chunks_ = 0;
  std::uint64_t stored_pages_ = 0;
  Bytes chunk_headers_;
  Bytes image_;
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

std::vector<std::byte> read_reference_image(const MemoryBlockDevice& device, std::uint64_t header_offset) {
  return Reader(device, header_offset).read();
}

}  // namespace dormouse::test
