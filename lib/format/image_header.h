/// The first page of an image. Normative text: FORMAT.md, "Image header".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "dormouse/error.h"
#include "dormouse/figures.h"
#include "dormouse/units.h"

#include "base/little_endian.h"
#include "format/checksum.h"
#include "format/key_slot.h"
#include "format/swap_header.h"

namespace dormouse {

inline constexpr std::uint32_t kFormatVersion = 1;
inline constexpr std::array<char, 8> kImageMagic = {'D', 'O', 'R', 'M', 'O', 'U', 'S', 'E'};
inline constexpr std::uint8_t kByteOrderLittle = 1;
inline constexpr std::uint32_t kMaxChunkPages = 1024;
/// Bit of `features_required`: the image is sealed.
inline constexpr std::uint32_t kFeatureSealed = 1;

/// Random, drawn for each image; every map page carries it, so that no old tail is taken for a part.
using ImageId = std::array<std::byte, 16>;

struct TransferRecord {
  Le64 duration_ns;
  Le64 flush_ns;
  Le64 source_wait_ns;
};

/// Value of the setting `codec` for a codec chosen for each chunk.
inline constexpr std::uint8_t kCodecAuto = 255;

struct CodecCountRecord {
  std::uint8_t codec = 0;  ///< CodecId
  std::array<std::byte, 3> reserved{};
  Le32 level;   ///< two's complement
  Le64 chunks;  ///< packed with it
};
static_assert(sizeof(CodecCountRecord) == 16);
using CodecCountRecords = std::array<CodecCountRecord, 8>;

/// Closed by `checksum`, and of a sealed image by `header_tag`; written once, before the mark.
struct ImageHeader {
  std::array<char, 8> magic = kImageMagic;
  Le32 version = kFormatVersion;               ///< a reader refuses any other
  Le32 features_required;                      ///< a reader refuses bits it does not know
  Le32 features_optional;                      ///< a reader ignores bits it does not know
  std::uint8_t byte_order = kByteOrderLittle;  ///< of the machine that was saved
  std::uint8_t codec = 0;                      ///< setting: CodecId asked for, or kCodecAuto
  std::uint8_t io = 0;                         ///< setting: IoMode
  std::uint8_t platform = 0;                   ///< 1: saved with firmware hooks, so restore uses them too
  Le32 page_bytes;
  Le32 chunk_pages;  ///< pages in every chunk but the last; 1..kMaxChunkPages
  ImageId image_id{};
  Le64 created_unix_seconds;
  Le64 image_pages;  ///< pages of the snapshot stream
  Le64 chunk_count;
  Le64 map_first_page;  ///< page index on the block device of the first swap map page
  Le64 map_pages;
  Le64 stored_pages;  ///< chunks + swap map + this page
  Le32 reserved_0;
  Le32 level;                      ///< setting: codec level, two's complement
  Le32 early_writeout_millionths;  ///< setting, 0 = off
  Le32 threads;                    ///< setting
  Le64 size_cap_bytes;             ///< setting: what was asked of the kernel
  Digest chunk_digest{};           ///< equals the closing record's
  TransferRecord write{};
  MarkTail original_tail{};  ///< last 28 bytes of the swap header as they were
  Le32 reserved_1;
  std::array<std::byte, 16> area_uuid{};
  Le64 area_header_page;                  ///< page index on the block device of the swap header
  Le64 ram_bytes;                         ///< of the machine that was saved, informational
  std::array<char, 16> architecture{};    ///< utsname machine, NUL-padded
  std::array<char, 72> kernel_release{};  ///< utsname release, NUL-padded
  std::array<char, 64> host{};            ///< utsname nodename, NUL-padded
  std::array<char, 32> writer{};          ///< tool and version, NUL-padded
  CodecCountRecords codecs{};             ///< weakest first; together the chunks of the image
  // Of a sealed image; else all zero.
  std::uint8_t cipher = 0;  ///< Cipher
  std::uint8_t ways = 0;    ///< slots in use, the first ones; 1..8
  std::array<std::byte, 6> reserved_2{};
  std::array<std::byte, 32> map_digest{};  ///< SHA-256 over the swap map pages as they lie on the device
  std::array<std::byte, 16> header_tag{};  ///< over bytes 0..3583 with this field and `checksum` zero
  std::array<KeySlot, 8> slots{};
  std::array<std::byte, 936> reserved{};  ///< zero; a reader refuses anything else
  Le64 checksum;                          ///< XXH3-64 over bytes 0..3583 with this field zero

  [[nodiscard]] bool sealed() const { return (features_required & kFeatureSealed) != 0; }
  /// What `header_tag` is made over.
  [[nodiscard]] ImageHeader without_tag() const {
    ImageHeader copy = *this;
    copy.header_tag = {};
    copy.checksum = 0;
    return copy;
  }
};
static_assert(sizeof(ImageHeader) == 3584 && alignof(ImageHeader) == 1);
static_assert(offsetof(ImageHeader, cipher) == 536 && offsetof(ImageHeader, slots) == 592);
static_assert(offsetof(ImageHeader, checksum) == 3576);

/// The last 512 bytes of the record, a sector of its own with its own checksum, so that writing it can never
/// tear the header: what resume did with the image. All zero until then. Values of `state`: ResumeState.
struct ResumeNote {
  std::array<char, 8> magic{};  ///< "DMRESUME"
  ImageId image_id{};
  Le32 attempts;          ///< loads that were begun, but for those that the user stopped
  Le32 state;             ///< 0 waiting, 1 jumping, 2 given up
  TransferRecord read{};  ///< of the load that led to the jump
  std::array<std::byte, 448> reserved{};
  Le64 checksum;  ///< XXH3-64 over this record with this field zero
};
static_assert(sizeof(ResumeNote) == 512 && alignof(ResumeNote) == 1);

struct ImageHeaderPage {
  ImageHeader header;
  ResumeNote note;
};
static_assert(sizeof(ImageHeaderPage) == kMinPageBytes);

/// Fills in the checksums and writes the record to the start of `page`; the rest of the page becomes zero.
void encode_image_header(ImageHeaderPage& record, std::span<std::byte> page);

/// Validates every field and bound. kCorrupt names the field; kNoImage where the magic is not ours (uswsusp's
/// image, say) and not one of ours with damage in it either: the checksum tells. `at` is where the page was
/// read, for messages. A damaged note is read as no note.
Result<ImageHeaderPage> decode_image_header(std::span<const std::byte> page, DeviceOffset at);

/// A note for `id` with nothing in it.
ResumeNote make_note(const ImageId& id);

CodecCountRecords to_records(const CodecCounts& counts);
CodecCounts from_records(const CodecCountRecords& records);

TransferRecord to_record(const TransferFigures& figures);
TransferFigures from_record(const TransferRecord& record);

/// Copies as much of `text` as fits, NUL-padded; and back.
template <std::size_t N>
void put_text(std::array<char, N>& field, std::string_view text) {
  field.fill('\0');
  for (std::size_t i = 0; i < N - 1 && i < text.size(); ++i) field[i] = text[i];
}
template <std::size_t N>
std::string_view get_text(const std::array<char, N>& field) {
  std::size_t length = 0;
  while (length < N && field[length] != '\0') ++length;
  return {field.data(), length};
}

}  // namespace dormouse
