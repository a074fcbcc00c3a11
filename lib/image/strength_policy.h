/// How hard to pack the next chunk, so that neither processors nor device wait: `--compress=auto`.
///
/// Chunks that are packed and not yet stored are the water in a tub. It rises while the device is the slower
/// side, and then there is time to pack harder; it falls while the processors are, and then less is packed.
/// At every level of the water another rung of the ladder is used, so it comes to rest where a mix of two
/// neighbouring rungs makes both sides equally fast: that mix, not the best single codec, is what the model
/// of design section 7 asks for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/codec_ladder.h"
#include "image/room_forecast.h"

namespace dormouse {

/// Slots of the ring more than a fixed codec needs: the water has to have room to rise and fall.
inline constexpr std::size_t kSlotsToChooseBy = 6;

/// Threads: any. Allocates nothing.
class StrengthPolicy {
 public:
  /// `slots` of the ring, of which each of `workers` holds one and the source one; `requests` keep the device
  /// busy.
  /// Chunks have `chunk_pages`.
  StrengthPolicy(std::size_t slots, unsigned workers, unsigned requests, std::uint64_t chunk_pages = 0);

  /// The rung for a chunk, with `waiting` chunks packed and not yet stored.
  [[nodiscard]] std::size_t choose(std::size_t waiting) const;

  /// Weaker codecs than this would run out of room.
  void heed_room(const RoomForecast& forecast);
  [[nodiscard]] std::size_t floor() const { return floor_.load(std::memory_order_relaxed); }

 private:
  std::size_t lead_;  // so many waiting chunks are in the device's hands and no sign of anything
  std::size_t span_;  // so many more is a full tub
  std::uint64_t
      reserve_pages_;  // chunks on their way were packed before it was known how little room there is
  std::atomic<std::size_t> floor_ = 0;
};

}  // namespace dormouse
