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
#include <span>

#include "dormouse/image_writer.h"

#include "image/chunk_memory.h"
#include "image/early_writeout_policy.h"
#include "pipeline/stage_ring.h"
#include "swap/swap_map_writer.h"

namespace dormouse {

/// The pages that are free. kNoSpace where it is known that they are too few, which is without packing.
Result<std::uint64_t> check_room(std::uint64_t image_pages, const ImageOptions& options,
                                 std::uint32_t page_bytes, BlockDevice& device, SwapAllocator& allocator);

/// All that it refers to outlives it. Look at its numbers when the ring has come to its end.
class WriteRun final : public StageWork {
 public:
  WriteRun(const ImageOptions& options, std::uint32_t page_bytes, ChunkMemory& memory,
           std::span<const std::unique_ptr<Codec>> codecs, SwapMapWriter& map, PageSource& source,
           BlockDevice& device, SwapAllocator& allocator, std::uint64_t free_pages, Progress& progress)
      : page_bytes_(page_bytes),
        chunk_pages_(options.chunk_bytes / page_bytes),
        memory_(memory),
        codecs_(codecs),
        map_(map),
        source_(source),
        device_(device),
        allocator_(allocator),
        free_pages_(free_pages),
        progress_(progress),
        policy_(options.early_writeout, source.total_pages() * page_bytes) {}

  Result<bool> produce(std::size_t slot, std::uint64_t number) override;
  Result<void> work(unsigned stage, std::size_t slot, std::uint64_t number, unsigned worker) override;
  Result<void> tick() override;

  /// Says of an allocator that it ran out what the whole image needs; any other error stays as it is.
  [[nodiscard]] Error explained(const Error& error) const;
  [[nodiscard]] std::uint64_t source_wait_ns() const { return source_wait_ns_; }
  [[nodiscard]] std::uint64_t packed_chunks() const { return packed_chunks_; }
  [[nodiscard]] std::uint32_t codecs_used() const { return codecs_used_; }
  [[nodiscard]] std::uint64_t pages_read() const { return pages_read_; }

 private:
  void pack(ChunkSlot& chunk, Codec& codec);
  Result<void> place(ChunkSlot& chunk);
  Result<void> store(ChunkSlot& chunk);

  std::uint32_t page_bytes_;
  std::uint32_t chunk_pages_;
  ChunkMemory& memory_;
  std::span<const std::unique_ptr<Codec>> codecs_;
  SwapMapWriter& map_;
  PageSource& source_;
  BlockDevice& device_;
  SwapAllocator& allocator_;
  std::uint64_t free_pages_;  // of the area, when the writing began
  Progress& progress_;

  std::uint64_t source_wait_ns_ = 0;  // producing thread
  std::uint64_t pages_read_ = 0;      // producing thread
  std::uint64_t packed_chunks_ = 0;   // placing thread
  std::uint32_t codecs_used_ = 0;     // placing thread
  std::uint64_t placed_pages_ = 0;    // placing thread: pages of the image, in chunks that found their place
  std::uint64_t used_pages_ = 0;      // placing thread: pages of the area that those chunks take
  std::atomic<std::uint64_t> stored_image_bytes_ = 0;
  std::mutex policy_mutex_;
  EarlyWriteoutPolicy policy_;  // under policy_mutex_
};

}  // namespace dormouse
