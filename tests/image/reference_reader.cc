#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "image/reference_image.h"
#include "image/reference_records.h"

namespace dormouse::test {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

class Reader {
 public:
  Reader(const MemoryBlockDevice& device, std::uint64_t header_offset, const ReferenceWay& secret)
      : device_(device) {
    header_ = device.bytes().subspan(header_offset, 4096);
    check_header();
    if (sealed_) unlock(secret);
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
    require(get_integer(header_, 12, 4) <= 1, "image header: required features");
    sealed_ = get_integer(header_, 12, 4) == 1;
    require(get_integer(header_, 20, 1) == 1, "image header: byte order");
    Bytes zeroed(header_.begin(), header_.begin() + 3584);
    const std::uint64_t sum = get_integer(zeroed, 3576, 8);
    put_integer(zeroed, 3576, 0, 8);
    require(sum == hash64(zeroed), "image header: checksum");
    const std::size_t used = sealed_ ? 592 + 256 * get_integer(header_, 537, 1) : 536;
    require(std::all_of(zeroed.begin() + static_cast<std::ptrdiff_t>(used), zeroed.begin() + 3576,
                        [](std::byte b) { return b == std::byte{0}; }),
            "image header: reserved");
    page_bytes_ = get_integer(header_, 24, 4);
  }

  void unlock(const ReferenceWay& secret) {
    cipher_ = static_cast<std::uint8_t>(get_integer(header_, 536, 1));
    const auto id = header_.subspan(32, 16);
    data_key_ =
        reference_data_key(open_reference_slot(header_.subspan(592, 256), secret, cipher_, id), cipher_, id);
    require(reference_open(cipher_, data_key_, 1, 0, header_data(header_), {}, tag_at(header_, 576)),
            "image header: tag");
  }

  static ReferenceTag tag_at(std::span<const std::byte> record, std::size_t at) {
    ReferenceTag tag;
    std::ranges::copy(record.subspan(at, tag.size()), tag.begin());
    return tag;
  }

  void load_map_page(std::uint64_t page) {
    const auto bytes = device_.bytes().subspan(page * page_bytes_, page_bytes_);
    require(std::memcmp(bytes.data(), "DMSWAPMP", 8) == 0, "map page: magic");
    require(std::memcmp(bytes.data() + 8, header_.data() + 32, 16) == 0, "map page: image id");
    require(get_integer(bytes, 24, 8) == map_pages_, "map page: index");
    Bytes zeroed(bytes.begin(), bytes.end());
    put_integer(zeroed, 56, 0, 8);
    require(get_integer(bytes, 56, 8) == hash64(zeroed), "map page: checksum");
    if (sealed_) append(map_, bytes);
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
    const Bytes header(record.begin(), record.begin() + 48);
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
    if (sealed_) {
      require(reference_open(cipher_, data_key_, 0, chunks_, chunk_data(header_.subspan(32, 16), header),
                             stored, tag_at(header, 32)),
              "chunk: tag");
    } else {
      require(hash64(stored) == get_integer(header, 32, 8), "chunk: checksum of what is stored");
    }
    require(std::all_of(stored.begin() + static_cast<std::ptrdiff_t>(packed_bytes), stored.end(),
                        [](std::byte b) { return b == std::byte{0}; }),
            "chunk: padding");
    Bytes unpacked(pages * page_bytes_);
    auto codec =
        make_codec({.id = static_cast<CodecId>(codec_id), .level = codec_id >= 2 ? 1 : 0}, unpacked.size());
    require(codec.has_value(), "chunk: codec");
    stored.resize(packed_bytes);
    require((*codec)->unpack(stored, unpacked).has_value(), "chunk: unpack");
    require(sealed_ || hash64(unpacked) == get_integer(header, 40, 8), "chunk: checksum of the pages");
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
    require(!sealed_ || std::ranges::equal(reference_sha256(map_), header_.subspan(544, 32)),
            "image header: digest of the map");
  }

  const MemoryBlockDevice& device_;
  bool sealed_ = false;
  std::uint8_t cipher_ = 0;
  ReferenceKey data_key_{};
  Bytes map_;  // all its pages, of a sealed image
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

std::vector<std::byte> read_reference_image(const MemoryBlockDevice& device, std::uint64_t header_offset,
                                            const ReferenceWay& secret) {
  return Reader(device, header_offset, secret).read();
}

}  // namespace dormouse::test
