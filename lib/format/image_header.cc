#include "format/image_header.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "dormouse/image_options.h"
#include "dormouse/sealing.h"

namespace dormouse {
namespace {

constexpr std::array<char, 8> kNoteMagic = {'D', 'M', 'R', 'E', 'S', 'U', 'M', 'E'};

template <class Record>
std::uint64_t checksum_of(Record record) {
  record.checksum = 0;
  return xxh3(std::as_bytes(std::span(&record, 1)));
}

bool all_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

Failure damaged(DeviceOffset at) {
  return fail(Errc::kCorrupt, "check image header").at(to_bytes(at));
}

// A bit that flipped in the magic or in the version makes neither another program's image nor one of a later
// version: with the true values put back, the checksum matches.
bool is_ours_otherwise(ImageHeader header) {
  header.magic = kImageMagic;
  header.version = kFormatVersion;
  return header.checksum == checksum_of(header);
}

bool is_page_size(std::uint32_t bytes) {
  return bytes >= kMinPageBytes && bytes <= kMaxPageBytes && std::has_single_bit(bytes);
}

bool is_note_valid(const ResumeNote& note, const ImageId& id) {
  return note.magic == kNoteMagic && note.image_id == id && note.checksum == checksum_of(note) &&
         all_zero(note.reserved);
}

Result<void> check_counts(const ImageHeader& header, DeviceOffset at) {
  const std::uint64_t pages = header.image_pages;
  const std::uint64_t chunk_pages = header.chunk_pages;
  // Bounds first: no product below can overflow once the page count is that of an addressable device.
  constexpr std::uint64_t kMaxPages = std::uint64_t{1} << 44;
  if (pages == 0 || pages > kMaxPages) return damaged(at).because("image pages {} is out of range", pages);
  if (header.chunk_count != divide_up(pages, chunk_pages)) {
    return damaged(at).because("{} chunks of {} pages cannot hold {} pages",
                               std::uint64_t{header.chunk_count}, chunk_pages, pages);
  }
  if (header.map_pages == 0 || header.map_pages >= header.stored_pages ||
      header.stored_pages > 2 * kMaxPages) {
    return damaged(at).because("map pages {} and stored pages {} do not fit together",
                               std::uint64_t{header.map_pages}, std::uint64_t{header.stored_pages});
  }
  // Every chunk takes a page or more, and never more pages than it holds.
  const std::uint64_t chunks_stored = header.stored_pages - header.map_pages - 1;
  if (chunks_stored < header.chunk_count || chunks_stored > pages) {
    return damaged(at).because("{} chunks of {} pages in all cannot take {} stored pages",
                               std::uint64_t{header.chunk_count}, pages, chunks_stored);
  }
  if (header.map_first_page == 0 || header.map_first_page > kMaxPages) {
    return damaged(at).because("the first swap map page {} is out of range",
                               std::uint64_t{header.map_first_page});
  }
  return {};
}

Result<void> check_codecs(const ImageHeader& header, DeviceOffset at) {
  const std::uint64_t chunks = header.chunk_count;
  std::uint64_t counted = 0;
  for (const CodecCountRecord& record : header.codecs) {
    if (!is_known_codec(record.codec) || !all_zero(record.reserved)) {
      return damaged(at).because("it counts chunks of codec {}, which is not known", unsigned{record.codec});
    }
    if (record.chunks > chunks - counted) {
      return damaged(at).because("its codecs packed more than its {} chunks", chunks);
    }
    counted += record.chunks;
  }
  if (counted == chunks) return {};
  return damaged(at).because("its codecs packed {} of its {} chunks", counted, chunks);
}

Result<void> check_sealing(const ImageHeader& header, DeviceOffset at) {
  if (!header.sealed()) {
    const auto all = std::as_bytes(std::span(&header, 1));
    if (all_zero(all.subspan(offsetof(ImageHeader, cipher),
                             offsetof(ImageHeader, checksum) - offsetof(ImageHeader, cipher)))) {
      return {};
    }
    return damaged(at).because("reserved fields are not zero");
  }
  if (header.cipher < static_cast<std::uint8_t>(Cipher::kAes256Gcm) ||
      header.cipher > static_cast<std::uint8_t>(Cipher::kChaCha20Poly1305)) {
    return damaged(at).because("it is sealed with cipher {}, which is not known", unsigned{header.cipher});
  }
  if (header.ways == 0 || header.ways > header.slots.size()) {
    return damaged(at).because("it is sealed, and states {} ways to open it, which is not within 1 and {}",
                               unsigned{header.ways}, header.slots.size());
  }
  for (std::size_t i = 0; i < header.ways; ++i) {
    if (const auto fault = fault_of(header.slots[i]); !fault.empty())
      return damaged(at).because("key slot {}: {}", i, fault);
  }
  if (!all_zero(header.reserved_2) || !all_zero(header.reserved) ||
      !all_zero(std::as_bytes(std::span(header.slots).subspan(header.ways)))) {
    return damaged(at).because("reserved fields or key slots that are not in use are not zero");
  }
  return {};
}

}  // namespace

void encode_image_header(ImageHeaderPage& record, std::span<std::byte> page) {
  record.header.checksum = checksum_of(record.header);
  if (record.note.magic == kNoteMagic) record.note.checksum = checksum_of(record.note);
  std::memcpy(page.data(), &record, sizeof record);
  std::ranges::fill(page.subspan(sizeof record), std::byte{0});
}

Result<ImageHeaderPage> decode_image_header(std::span<const std::byte> page, DeviceOffset at) {
  ImageHeaderPage record;
  if (page.size() < sizeof record) return damaged(at).because("only {} bytes are there", page.size());
  std::memcpy(&record, page.data(), sizeof record);
  const ImageHeader& header = record.header;
  if (header.magic != kImageMagic) {
    if (is_ours_otherwise(header))
      return damaged(at).because("its magic is damaged; all else of it is a dormouse image's");
    return fail(Errc::kNoImage, "read image header")
        .at(to_bytes(at))
        .because("the mark leads to no dormouse image; it may be uswsusp's");
  }
  if (header.version != kFormatVersion) {
    if (is_ours_otherwise(header)) {
      return damaged(at).because("its format version is damaged: {} where version {} was written",
                                 std::uint32_t{header.version}, kFormatVersion);
    }
    return damaged(at).because("format version {} is not known here (only {}); it needs another dormouse",
                               std::uint32_t{header.version}, kFormatVersion);
  }
  if (header.checksum != checksum_of(header)) return damaged(at).because("its checksum does not match");
  if (const std::uint32_t unknown = header.features_required & ~kFeatureSealed; unknown != 0) {
    return damaged(at).because("it needs features {:#x} that this version does not know", unknown);
  }
  if (header.byte_order != kByteOrderLittle) {
    return damaged(at).because("it was written by a machine of the other byte order");
  }
  if (!is_page_size(header.page_bytes)) {
    return damaged(at).because("{} is no page size", std::uint32_t{header.page_bytes});
  }
  if (header.chunk_pages == 0 ||
      header.chunk_pages > std::min(kMaxChunkPages, kMaxChunkBytes / header.page_bytes)) {
    return damaged(at).because("chunks of {} pages are not within 1 page and {} pages or {} bytes",
                               std::uint32_t{header.chunk_pages}, kMaxChunkPages, kMaxChunkBytes);
  }
  if (auto r = check_counts(header, at); !r) return std::unexpected(r.error());
  if (auto r = check_codecs(header, at); !r) return std::unexpected(r.error());
  if (header.platform > 1 || header.reserved_0 != 0 || header.reserved_1 != 0) {
    return damaged(at).because("reserved fields are not zero");
  }
  if (auto r = check_sealing(header, at); !r) return std::unexpected(r.error());
  const auto& kept = header.original_tail.signature;
  if (!std::ranges::equal(kept, kPlainSignature)) {
    return damaged(at).because("what it keeps of the swap header is no swap signature");
  }
  if (!all_zero(page.subspan(sizeof record))) return damaged(at).because("the rest of its page is not zero");
  if (!is_note_valid(record.note, header.image_id)) record.note = ResumeNote{};
  return record;
}

ResumeNote make_note(const ImageId& id) {
  ResumeNote note;
  note.magic = kNoteMagic;
  note.image_id = id;
  return note;
}

CodecCountRecords to_records(const CodecCounts& counts) {
  CodecCountRecords records;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (counts[i].chunks == 0) continue;
    records[i].codec = static_cast<std::uint8_t>(counts[i].codec.id);
    records[i].level = static_cast<std::uint32_t>(counts[i].codec.level);
    records[i].chunks = counts[i].chunks;
  }
  return records;
}

CodecCounts from_records(const CodecCountRecords& records) {
  CodecCounts counts;
  for (std::size_t i = 0; i < records.size(); ++i) {
    counts[i] = {.codec = {.id = static_cast<CodecId>(records[i].codec),
                           .level = static_cast<std::int32_t>(std::uint32_t{records[i].level})},
                 .chunks = records[i].chunks};
  }
  return counts;
}

TransferRecord to_record(const TransferFigures& figures) {
  return {.duration_ns = figures.duration_ns,
          .flush_ns = figures.flush_ns,
          .source_wait_ns = figures.source_wait_ns};
}

TransferFigures from_record(const TransferRecord& record) {
  return {.duration_ns = record.duration_ns,
          .flush_ns = record.flush_ns,
          .source_wait_ns = record.source_wait_ns};
}

}  // namespace dormouse
