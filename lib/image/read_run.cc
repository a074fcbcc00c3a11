#include "image/read_run.h"

#include <algorithm>

namespace dormouse {
namespace {

enum Stage : unsigned { kFetch, kUnpack, kDeliver };

}  // namespace

Result<CodecSet> make_codec_set(std::size_t chunk_bytes) {
  CodecSet set;
  for (const CodecId id : {CodecId::kStored, CodecId::kLzf, CodecId::kLz4, CodecId::kZstd}) {
    auto codec = make_unpacker(id, chunk_bytes);
    if (!codec) return std::unexpected(codec.error());
    set[static_cast<std::size_t>(id)] = std::move(*codec);
  }
  return set;
}

Result<void> ReadRun::work(unsigned stage, std::size_t slot, std::uint64_t /*number*/, unsigned worker) {
  ChunkSlot& chunk = memory_[slot];
  switch (stage) {
    case kFetch:
      fetch(slot);
      return {};
    case kUnpack:
      return unpack(chunk, codecs_[worker]);
    default:
      return deliver(chunk);
  }
}

Failure ReadRun::damaged(const ChunkSlot& chunk) const {
  const auto& placement = chunk.placement;
  const std::uint64_t first = placement.header.first_page;
  return fail(Errc::kCorrupt, "check image chunk")
      .on(device_.name())
      .at(to_bytes(page_offset(placement.extents.front().first_page, header_.page_bytes)))
      .because("chunk {} (pages {} to {} of the image) is damaged", std::uint64_t{placement.header.number},
               first, first + placement.header.pages - 1);
}

void ReadRun::fetch(std::size_t slot) {
  ChunkSlot& chunk = memory_[slot];
  const std::size_t bytes = chunk.placement.stored_pages(header_.page_bytes) * header_.page_bytes;
  auto& buffer = is_stored_as_is(chunk) ? chunk.pages : chunk.packed;
  buffer = memory_.take();
  transfers_.read(slot, buffer.first(bytes));
}

Result<void> ReadRun::unpack(ChunkSlot& chunk, CodecSet& codecs) {
  const ChunkHeader& header = chunk.placement.header;
  // Nothing unchecked reaches a decoder.
  if (xxh3(chunk.stored) != header.stored_xxh3) return damaged(chunk);
  const bool as_is = is_stored_as_is(chunk);
  if (!as_is) chunk.pages = memory_.take();
  const auto pages = unpacked(chunk);
  const auto filling = chunk.stored.subspan(header.packed_bytes);
  if (!std::ranges::all_of(filling, [](std::byte b) { return b == std::byte{0}; })) return damaged(chunk);
  if (!as_is) {
    if (!codecs[header.codec]->unpack(chunk.stored.first(header.packed_bytes), pages)) return damaged(chunk);
    memory_.give_back(chunk.packed);
    if (xxh3(pages) != header.pages_xxh3) return damaged(chunk);
  } else if (header.pages_xxh3 != header.stored_xxh3) {
    return damaged(chunk);
  }
  return {};
}

Result<void> ReadRun::deliver(const ChunkSlot& chunk) {
  const auto pages = unpacked(chunk);
  const std::uint64_t before = now_ns();
  auto written = sink_.write(pages);
  sink_wait_ns_ += now_ns() - before;
  memory_.give_back(pages);
  if (written) delivered_bytes_.fetch_add(pages.size(), std::memory_order_relaxed);
  return written;
}

Result<void> ReadRun::tick() {
  progress_.advance(delivered_bytes_.load(std::memory_order_relaxed));
  if (progress_.stop_requested()) return fail(Errc::kStopped, "read image").because("stopped by the user");
  return {};
}

}  // namespace dormouse
