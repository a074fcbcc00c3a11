#include "image/chunk_packer.h"

#include <algorithm>
#include <cstring>

#include "codec/codec_ladder.h"
#include "image/seal_records.h"

namespace dormouse {
namespace {

/// From so many pages in a chunk on that hold one word again and again, storing it costs the device more than
/// the fastest codec costs the processor.
constexpr std::size_t kFilledShare = 4;

// All bytes equal those eight before them. Other memory is told apart within its first words.
bool is_filled(std::span<const std::byte> page) {
  constexpr std::size_t kWord = 8;
  return std::memcmp(page.data(), page.data() + kWord, page.size() - kWord) == 0;
}

bool is_mostly_filled(std::span<const std::byte> pages, std::uint32_t page_bytes) {
  const std::size_t count = pages.size() / page_bytes;
  std::size_t filled = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_filled(pages.subspan(i * page_bytes, page_bytes))) ++filled;
  }
  return filled * kFilledShare >= count;
}

}  // namespace

Result<ChunkPacker> ChunkPacker::prepare(const ImageOptions& options, std::uint32_t page_bytes,
                                         std::optional<Cipher> cipher) {
  ChunkPacker packer(page_bytes);
  if (cipher) {
    auto aead = Aead::prepare(*cipher);
    if (!aead) return std::unexpected(aead.error());
    packer.aead_.emplace(std::move(*aead));
  }
  const auto add = [&](const CodecSpec& spec) -> Result<void> {
    auto codec = make_codec(spec, options.chunk_bytes);
    if (!codec) return std::unexpected(codec.error());
    packer.codecs_.push_back(std::move(*codec));
    return {};
  };
  if (!options.adaptive) {
    if (auto r = add(options.codec); !r) return std::unexpected(r.error());
    return packer;
  }
  for (const CodecRung& rung : codec_ladder()) {
    if (auto r = add(rung.codec); !r) return std::unexpected(r.error());
  }
  return packer;
}

Result<void> ChunkPacker::use_key(std::span<const std::byte, kKeyBytes> key, const ImageId& id) {
  id_ = id;
  return aead_->set_key(key);
}

void ChunkPacker::forget_key() {
  if (aead_) aead_->forget();
}

std::uint64_t ChunkPacker::memory_bytes() const {
  std::uint64_t bytes = aead_ ? aead_->memory_bytes() : 0;
  for (const auto& codec : codecs_) bytes += codec->memory_bytes();
  return bytes;
}

Result<void> ChunkPacker::pack(ChunkSlot& chunk, std::size_t rung) {
  ChunkHeader& header = chunk.placement.header;
  // A checksum of plain pages would tell what they hold.
  if (!aead_) header.pages_xxh3 = xxh3(chunk.pages.first(std::size_t{header.pages} * page_bytes_));
  const auto stored = compress(chunk, rung);
  chunk.stored = stored;
  if (aead_) return seal_chunk(*aead_, id_, header, stored);
  const bool as_is = header.codec == static_cast<std::uint8_t>(CodecId::kStored);
  header.stored_xxh3 = as_is ? std::uint64_t{header.pages_xxh3} : xxh3(stored);
  return {};
}

std::span<std::byte> ChunkPacker::compress(ChunkSlot& chunk, std::size_t rung) {
  ChunkHeader& header = chunk.placement.header;
  const auto pages = chunk.pages.first(std::size_t{header.pages} * page_bytes_);
  const bool adaptive = codecs_.size() > 1;
  std::size_t chosen = adaptive ? std::min(rung, codecs_.size() - 1) : 0;
  if (adaptive && chosen == 0 && is_mostly_filled(pages, page_bytes_)) chosen = 1;
  chunk.codec_at = adaptive ? chosen : 1;
  Codec& codec = *codecs_[chosen];
  // Stored pages are whole: less than a page saved is nothing saved.
  const auto packed = codec.pack(pages, chunk.packed.first(pages.size() - page_bytes_));
  if (!packed) {
    header.codec = static_cast<std::uint8_t>(CodecId::kStored);
    header.packed_bytes = static_cast<std::uint32_t>(pages.size());
    return pages;
  }
  const std::size_t whole = divide_up(*packed, page_bytes_) * page_bytes_;
  // The rest of the last page would show old memory; it is part of what is checked, too.
  std::ranges::fill(chunk.packed.subspan(*packed, whole - *packed), std::byte{0});
  header.codec = static_cast<std::uint8_t>(codec.spec().id);
  header.packed_bytes = static_cast<std::uint32_t>(*packed);
  return chunk.packed.first(whole);
}

}  // namespace dormouse
