#include "image/read_run.h"

#include <algorithm>

#include "image/seal_records.h"

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
      return unpack(chunk, worker);
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
      .because("chunk {} (pages {} to {} of the image) is {}", std::uint64_t{placement.header.number}, first,
               first + placement.header.pages - 1,
               header_.sealed() ? "not what was sealed: it is damaged, or was changed" : "damaged");
}

void ReadRun::fetch(std::size_t slot) {
  ChunkSlot& chunk = memory_[slot];
  (is_stored_as_is(chunk) ? chunk.pages : chunk.packed) = memory_.take();
  transfers_.read(slot, stored(chunk));
}

// Nothing unchecked reaches a decoder.
Result<void> ReadRun::authenticate(ChunkSlot& chunk, unsigned worker) {
  const ChunkHeader& header = chunk.placement.header;
  if (!header_.sealed()) {
    if (xxh3(chunk.stored) != header.stored_xxh3) return damaged(chunk);
    return {};
  }
  if (gate_ != nullptr) {
    if (auto r = gate_->wait(); !r) return r;
  }
  if (!keys_.ready()) return fail(Errc::kUsage, "read image").because("it is sealed, and was not unlocked");
  auto opened = open_chunk(keys_.of(worker), header_.image_id, header, stored(chunk));
  if (!opened && opened.error().code == Errc::kCorrupt) return damaged(chunk);
  return opened;
}

Result<void> ReadRun::unpack(ChunkSlot& chunk, unsigned worker) {
  if (auto r = authenticate(chunk, worker); !r) return r;
  const ChunkHeader& header = chunk.placement.header;
  const bool as_is = is_stored_as_is(chunk);
  if (!as_is) chunk.pages = memory_.take();
  const auto pages = unpacked(chunk);
  const auto filling = chunk.stored.subspan(header.packed_bytes);
  if (!std::ranges::all_of(filling, [](std::byte b) { return b == std::byte{0}; })) return damaged(chunk);
  if (!as_is) {
    Codec& codec = *codecs_[worker][header.codec];
    if (!codec.unpack(chunk.stored.first(header.packed_bytes), pages)) return damaged(chunk);
    memory_.give_back(chunk.packed);
    if (!header_.sealed() && xxh3(pages) != header.pages_xxh3) return damaged(chunk);
  } else if (!header_.sealed() && header.pages_xxh3 != header.stored_xxh3) {
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

void ReadRun::begin_progress() {
  if (told_begin_ || (gate_ != nullptr && !gate_->opened_at_ns())) return;
  progress_.begin("read", image_bytes());
  told_begin_ = true;
}

void ReadRun::complete_progress() {
  begin_progress();
  progress_.advance(image_bytes());
}

void ReadRun::end_progress() {
  if (told_begin_) progress_.end();
}

Result<void> ReadRun::tick() {
  begin_progress();
  if (told_begin_) progress_.advance(delivered_bytes_.load(std::memory_order_relaxed));
  if (progress_.stop_requested()) return fail(Errc::kStopped, "read image").because("stopped by the user");
  // Else a refusal would be seen with the next chunk only, which a slow device may take long to bring.
  if (gate_ != nullptr && gate_->decided()) return gate_->wait();
  return {};
}

void ReadRun::failed(const Error& error) {
  if (gate_ != nullptr) gate_->refuse(error);
}

}  // namespace dormouse
