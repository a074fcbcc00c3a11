/// One run of the image writer: the stages that a chunk passes, and what they share.
///
///     source --read--> [slot] --pack--> --place (in order)--> --store--> device
///
/// Placing is in order, so that the image lies on the device as it was read; packing and storing are not.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "dormouse/image_writer.h"

#include "image/chunk_memory.h"
#include "image/chunk_packer.h"
#include "image/chunk_transfers.h"
#include "image/early_writeout_policy.h"
#include "image/room_forecast.h"
#include "image/strength_policy.h"
#include "pipeline/stage_ring.h"
#include "swap/swap_map_writer.h"

namespace dormouse {

/// What is known of the room before anything is written: the pages that are free, and those that the image
/// takes if nothing shrinks.
Result<RoomForecast> look_at_room(std::uint64_t image_pages, const ImageOptions& options,
                                  std::uint32_t page_bytes, SwapAllocator& allocator);

/// kNoSpace where it is known that the room is too small, which is without packing.
Result<void> require_room(const RoomForecast& forecast, const ImageOptions& options, std::uint32_t page_bytes,
                          BlockDevice& device);

/// The codecs that chunks may get, none counted yet: stored first, then the ladder or the one that is set.
CodecCounts usable_codecs(const ImageOptions& options);

/// So many chunks in flight keep a device busy, as far as `--compress=auto` is concerned: half of the slots
/// of two threads. A few would do for the device, but a strong codec's chunk holds up those behind it for
/// longer than a few last.
inline constexpr std::size_t kBusyDevice = 14;

/// This part of the ring's pages is kept back of the room (StrengthPolicy).
inline constexpr std::uint64_t kReservePart = 4;

/// All that it refers to outlives it. Look at its numbers when the ring has come to its end.
class WriteRun final : public StageWork, private ChunkTransfers::Owner {
 public:
  WriteRun(const ImageOptions& options, std::uint32_t page_bytes, ChunkMemory& memory,
           std::span<ChunkPacker> packers, SwapMapWriter& map, PageSource& source, BlockDevice& device,
           ThreadedQueue& threads, StageRing& ring, SwapAllocator& allocator, const RoomForecast& forecast,
           Progress& progress)
      : page_bytes_(page_bytes),
        chunk_pages_(options.chunk_bytes / page_bytes),
        memory_(memory),
        packers_(packers),
        map_(map),
        source_(source),
        device_(device),
        allocator_(allocator),
        forecast_(forecast),
        foresee_shortage_(options.foresee_shortage),
        adaptive_(options.adaptive),
        codecs_(usable_codecs(options)),
        strength_(kBusyDevice, memory.slots() * chunk_pages_ / kReservePart),
        progress_(progress),
        transfers_("write image chunk", device, threads, ring, memory, page_bytes, *this),
        policy_(options.early_writeout, source.total_pages() * page_bytes) {
    memory_.give_back_all();
    if (adaptive_) strength_.heed_room(forecast_);
  }

  /// What moves chunks: to be started before the ring runs, stopped after.
  Result<void> start() { return transfers_.start(); }
  void stop() { transfers_.stop(); }

  Result<bool> produce(std::size_t slot, std::uint64_t number) override;
  Result<void> work(unsigned stage, std::size_t slot, std::uint64_t number, unsigned worker) override;
  Result<void> tick() override;

  /// Says of an allocator that it ran out what the whole image needs; any other error stays as it is.
  [[nodiscard]] Error explained(const Error& error);
  [[nodiscard]] const std::optional<RoomShortage>& shortage() const { return shortage_; }
  [[nodiscard]] std::uint64_t source_wait_ns() const { return source_wait_ns_; }
  [[nodiscard]] const CodecCounts& codecs() const { return codecs_; }
  [[nodiscard]] std::uint64_t pages_read() const { return pages_read_; }

 private:
  Result<void> pack(ChunkSlot& chunk, ChunkPacker& packer);
  Result<void> place(ChunkSlot& chunk);
  void chunk_transferred(ChunkSlot& chunk) override;
  Failure too_large(std::uint64_t needed_pages);

  std::uint32_t page_bytes_;
  std::uint32_t chunk_pages_;
  ChunkMemory& memory_;
  std::span<ChunkPacker> packers_;
  SwapMapWriter& map_;
  PageSource& source_;
  BlockDevice& device_;
  SwapAllocator& allocator_;
  RoomForecast forecast_;  // placing thread
  bool foresee_shortage_;
  bool adaptive_;
  CodecCounts codecs_;  // placing thread
  StrengthPolicy strength_;
  std::atomic<std::size_t> in_flight_ = 0;  // chunks that the device has
  Progress& progress_;
  ChunkTransfers transfers_;

  std::uint64_t source_wait_ns_ = 0;      // producing thread
  std::uint64_t pages_read_ = 0;          // producing thread
  std::optional<RoomShortage> shortage_;  // placing thread
  std::atomic<std::uint64_t> stored_image_bytes_ = 0;
  std::mutex policy_mutex_;
  EarlyWriteoutPolicy policy_;  // under policy_mutex_
};

}  // namespace dormouse
