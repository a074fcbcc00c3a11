/// One run of the image reader: the stages that a chunk passes, and what they share.
///
///     map --next--> [slot] --fetch--> --check, open and unpack--> --deliver (in order)--> sink
///
/// Fetching goes far ahead of delivering: every free slot is a request to the device. With a gate, it goes as
/// far as there are slots before the key of a sealed image is known; nothing of it is looked at until then.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "dormouse/codec.h"
#include "dormouse/key_gate.h"
#include "dormouse/page_stream.h"
#include "dormouse/progress.h"

#include "format/image_header.h"
#include "image/chunk_memory.h"
#include "image/chunk_transfers.h"
#include "image/image_keys.h"
#include "pipeline/stage_ring.h"
#include "swap/swap_map_reader.h"

namespace dormouse {

/// Every codec a chunk may name, for one worker; index is the CodecId.
using CodecSet = std::array<std::unique_ptr<Codec>, 4>;

Result<CodecSet> make_codec_set(std::size_t chunk_bytes);

/// All that it refers to outlives it. Look at its numbers when the ring has come to its end.
class ReadRun final : public StageWork, private ChunkTransfers::Owner {
 public:
  ReadRun(const ImageHeader& header, ChunkMemory& memory, std::span<CodecSet> codecs, ImageKeys& keys,
          SwapMapReader& map, BlockDevice& device, ThreadedQueue& threads, StageRing& ring, PageSink& sink,
          Progress& progress, KeyGate* gate)
      : header_(header),
        memory_(memory),
        codecs_(codecs),
        keys_(keys),
        gate_(header.sealed() ? gate : nullptr),
        map_(map),
        device_(device),
        sink_(sink),
        progress_(progress),
        transfers_("read image chunk", device, threads, ring, memory, header.page_bytes, *this) {
    memory_.give_back_all();
  }

  /// What moves chunks: to be started before the ring runs, stopped after.
  Result<void> start() { return transfers_.start(); }
  void stop() { transfers_.stop(); }

  /// The progress begins once there is no gate any more to wait at, and ends with end_progress().
  void begin_progress();
  /// All chunks have been delivered.
  void complete_progress();
  void end_progress();

  Result<bool> produce(std::size_t slot, std::uint64_t) override {
    return map_.next(memory_[slot].placement);
  }
  Result<void> work(unsigned stage, std::size_t slot, std::uint64_t number, unsigned worker) override;
  Result<void> tick() override;
  void failed(const Error& error) override;
  [[nodiscard]] std::uint64_t sink_wait_ns() const { return sink_wait_ns_; }

 private:
  void fetch(std::size_t slot);
  void chunk_transferred(ChunkSlot&) override {}
  Result<void> unpack(ChunkSlot& chunk, unsigned worker);
  Result<void> authenticate(ChunkSlot& chunk, unsigned worker);
  Result<void> deliver(const ChunkSlot& chunk);
  [[nodiscard]] Failure damaged(const ChunkSlot& chunk) const;
  [[nodiscard]] static bool is_stored_as_is(const ChunkSlot& chunk) {
    return chunk.placement.header.codec == static_cast<std::uint8_t>(CodecId::kStored);
  }
  /// The stored pages, where they were read to. A chunk that is stored as it is was read to where it belongs.
  [[nodiscard]] std::span<std::byte> stored(const ChunkSlot& chunk) const {
    return (is_stored_as_is(chunk) ? chunk.pages : chunk.packed)
        .first(chunk.placement.stored_pages(header_.page_bytes) * header_.page_bytes);
  }
  [[nodiscard]] std::uint64_t image_bytes() const { return header_.image_pages * header_.page_bytes; }
  [[nodiscard]] std::span<std::byte> unpacked(const ChunkSlot& chunk) const {
    const auto& header = chunk.placement.header;
    return chunk.pages.first(std::size_t{header.pages} * header_.page_bytes);
  }

  const ImageHeader& header_;
  ChunkMemory& memory_;
  std::span<CodecSet> codecs_;
  ImageKeys& keys_;
  KeyGate* gate_;
  SwapMapReader& map_;
  BlockDevice& device_;
  PageSink& sink_;
  Progress& progress_;
  ChunkTransfers transfers_;
  std::uint64_t sink_wait_ns_ = 0;  // delivering thread
  bool told_begin_ = false;         // calling thread
  std::atomic<std::uint64_t> delivered_bytes_ = 0;
};

}  // namespace dormouse
