#include "image/write_run.h"

#include <algorithm>
#include <array>

#include "codec/codec_ladder.h"

namespace dormouse {
namespace {

enum Stage : unsigned { kPack, kPlace, kStore };

/// Least pages that `image_pages` take when nothing shrinks: chunks as they are, and a map without fragments.
std::uint64_t pages_needed_stored(std::uint64_t image_pages, std::uint32_t chunk_pages,
                                  std::uint32_t page_bytes) {
  const std::uint64_t chunks = divide_up(image_pages, chunk_pages);
  const std::uint64_t records =
      (page_bytes - sizeof(MapPageHeader)) / (sizeof(ChunkHeader) + sizeof(PackedExtent));
  const std::uint64_t full = chunks / records;
  const std::uint64_t left =
      page_bytes - sizeof(MapPageHeader) - (chunks % records) * (sizeof(ChunkHeader) + sizeof(PackedExtent));
  return image_pages + full + (left < sizeof(ClosingRecord) ? 2 : 1);
}

}  // namespace

CodecCounts usable_codecs(const ImageOptions& options) {
  CodecCounts counts;
  counts.fill({.codec = {.id = CodecId::kStored, .level = 0}});
  if (options.adaptive) {
    const auto ladder = codec_ladder();
    for (std::size_t i = 0; i < std::min(ladder.size(), counts.size()); ++i)
      counts[i].codec = ladder[i].codec;
  } else {
    counts[1].codec = options.codec;
  }
  return counts;
}

Result<RoomForecast> look_at_room(std::uint64_t image_pages, const ImageOptions& options,
                                  std::uint32_t page_bytes, SwapAllocator& allocator) {
  const auto free = allocator.free_pages();
  if (!free) return std::unexpected(free.error());
  const std::uint64_t stored = pages_needed_stored(image_pages, options.chunk_bytes / page_bytes, page_bytes);
  return RoomForecast(image_pages, stored - image_pages, *free);
}

Result<void> require_room(const RoomForecast& forecast, const ImageOptions& options, std::uint32_t page_bytes,
                          BlockDevice& device) {
  const std::uint64_t needed = forecast.needed_pages();
  const std::uint64_t free = forecast.free_pages();
  if (options.adaptive || options.codec.id != CodecId::kStored || needed <= free) return {};
  return fail(Errc::kNoSpace, "find room for the image")
      .on(device.name())
      .because(
          "{} pages are needed to store the image as it is, {} are free ({} bytes too few). Free some swap, "
          "add "
          "more, lower --image-size, or use --compress",
          needed, free, (needed - free) * page_bytes);
}

Result<bool> WriteRun::produce(std::size_t slot, std::uint64_t number) {
  ChunkSlot& chunk = memory_[slot];
  chunk.pages = memory_.take();
  const std::uint64_t before = now_ns();
  const auto got = source_.read(chunk.pages);
  source_wait_ns_ += now_ns() - before;
  // Enough for this chunk however little it shrinks, and for a page of the map.
  allocator_.stock_up(chunk_pages_ + 1);
  if (!got) return std::unexpected(got.error());
  if (*got == 0) return false;
  if (*got % page_bytes_ != 0) {
    return fail(Errc::kIo, "read snapshot")
        .because("it tears off in page {}", pages_read_ + *got / page_bytes_);
  }
  const std::uint64_t pages = *got / page_bytes_;
  // Only the last chunk may be short, and together they must be the image: anything else is not what was
  // announced.
  const std::uint64_t rest = source_.total_pages() - std::min(pages_read_, source_.total_pages());
  if (pages != std::min<std::uint64_t>(chunk_pages_, rest)) {
    return fail(Errc::kIo, "read snapshot")
        .because("{} pages came after page {}, {} remain of {}", pages, pages_read_, rest,
                 source_.total_pages());
  }
  ChunkHeader& header = chunk.placement.header;
  header = ChunkHeader{};
  header.number = number;
  header.first_page = pages_read_;
  header.pages = static_cast<std::uint32_t>(pages);
  pages_read_ += pages;
  return true;
}

Result<void> WriteRun::work(unsigned stage, std::size_t slot, std::uint64_t /*number*/, unsigned worker) {
  ChunkSlot& chunk = memory_[slot];
  switch (stage) {
    case kPack:
      return pack(chunk, packers_[worker]);
    case kPlace:
      return place(chunk);
    default:
      in_flight_.fetch_add(1, std::memory_order_relaxed);
      transfers_.write(slot);
      return {};
  }
}

Result<void> WriteRun::pack(ChunkSlot& chunk, ChunkPacker& packer) {
  chunk.packed = memory_.take();
  const std::size_t rung = adaptive_ ? strength_.choose(in_flight_.load(std::memory_order_relaxed)) : 0;
  if (auto r = packer.pack(chunk, rung); !r) return r;
  const bool shrank = chunk.stored.data() == chunk.packed.data();
  memory_.give_back(shrank ? chunk.pages : chunk.packed);
  return {};
}

Result<void> WriteRun::place(ChunkSlot& chunk) {
  std::uint64_t missing = chunk.stored.size() / page_bytes_;
  auto& extents = chunk.placement.extents;
  extents.clear();
  const ChunkHeader& header = chunk.placement.header;
  while (missing > 0) {
    const auto extent = allocator_.allocate(missing);
    if (!extent) return std::unexpected(explained(extent.error()));
    extents.push_back(*extent);
    missing -= extent->pages;
  }
  const bool shrank = header.codec != static_cast<std::uint8_t>(CodecId::kStored);
  ++codecs_[shrank ? chunk.codec_at : 0].chunks;
  if (auto r = map_.add(header, extents); !r) return std::unexpected(explained(r.error()));
  forecast_.stored(header.pages, chunk.stored.size() / page_bytes_,
                   adaptive_ ? codec_ladder()[chunk.codec_at].ratio : 1.0);
  if (adaptive_) strength_.heed_room(forecast_);
  // A mix can still become stronger.
  const bool strongest = !adaptive_ || strength_.floor() + 1 == codec_ladder().size();
  if (foresee_shortage_ && strongest && forecast_.hopeless()) return too_large(forecast_.needed_pages());
  return {};
}

// What the whole image would have taken is foretold from the chunks that found their place.
Error WriteRun::explained(const Error& error) {
  // A file system that is full says kNoSpace, too: then there is still room in the area.
  if (error.code != Errc::kNoSpace || shortage_ || allocator_.free_pages().value_or(1) != 0) return error;
  return too_large(std::max(forecast_.needed_pages(), forecast_.free_pages() + 1)).error();
}

Failure WriteRun::too_large(std::uint64_t needed_pages) {
  const std::uint64_t total = source_.total_pages();
  shortage_ = {.image_pages = total,
               .needed_pages = needed_pages,
               .free_pages = forecast_.free_pages(),
               .usual_ratio = adaptive_ ? forecast_.usual_ratio() : 0};
  return fail(Errc::kNoSpace, "find room for the image")
      .on(device_.name())
      .because(
          "about {} pages of swap are needed, {} are free: so much is known from the {} of {} image pages "
          "that were "
          "stored. Free some swap, add more, lower --image-size, or choose a stronger codec",
          needed_pages, forecast_.free_pages(), forecast_.seen_pages(), total);
}

void WriteRun::chunk_transferred(ChunkSlot& chunk) {
  const std::uint64_t image_bytes = std::uint64_t{chunk.placement.header.pages} * page_bytes_;
  std::array<ByteRange, EarlyWriteoutPolicy::kMaxRanges> ranges;
  std::span<const ByteRange> due;
  {
    const std::lock_guard lock(policy_mutex_);
    std::uint64_t produced = image_bytes;
    for (const Extent& extent : chunk.placement.extents) {
      policy_.wrote(
          {.start = page_offset(extent.first_page, page_bytes_), .length = extent.pages * page_bytes_},
          produced);
      produced = 0;
    }
    if (policy_.due()) due = policy_.take(ranges);
    if (!due.empty()) device_.start_writeout(due);
  }
  memory_.give_back(chunk.stored);
  stored_image_bytes_.fetch_add(image_bytes, std::memory_order_relaxed);
  in_flight_.fetch_sub(1, std::memory_order_relaxed);
}

Result<void> WriteRun::tick() {
  progress_.advance(stored_image_bytes_.load(std::memory_order_relaxed));
  if (progress_.stop_requested()) return fail(Errc::kStopped, "write image").because("stopped by the user");
  return {};
}

}  // namespace dormouse
