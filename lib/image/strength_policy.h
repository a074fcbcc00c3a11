/// How hard to pack the next chunk, so that neither processors nor device wait: `--compress=auto`.
///
/// Chunks that the device has in its hands are the water in a tub, and the strength of the packing is a valve
/// that is turned a little with every chunk: harder while there is more water than keeps the device busy,
/// weaker while there is less. It comes to rest where both sides are equally fast. Between two rungs of the
/// ladder, chunks get one or the other in turn: that mix, not the best single codec, is what the model of
/// design section 7 asks for. Turning it quickly would be wrong: a strong codec takes longer than the whole
/// tub lasts on a fast device, and the water swings. Only at first it is turned quickly towards the stronger
/// side, until there was too much water and then too little.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "image/room_forecast.h"

namespace dormouse {

/// Slots of the ring more than a fixed codec needs: the queue has to have room to rise and fall.
inline constexpr std::size_t kSlotsToChooseBy = 6;

/// Threads: any. Allocates nothing.
class StrengthPolicy {
 public:
  /// `requests`, one or more, keep the device busy. So many pages of the room are kept back, since chunks on
  /// their way were packed before it was known how little room there is.
  explicit StrengthPolicy(std::size_t requests, std::uint64_t reserve_pages = 0)
      : requests_(requests), reserve_pages_(reserve_pages) {}

  /// The rung of the ladder for the next chunk, while the device has `in_flight` of them.
  [[nodiscard]] std::size_t choose(std::size_t in_flight);

  /// Weaker codecs than this would run out of room.
  void heed_room(const RoomForecast& forecast);
  [[nodiscard]] std::size_t floor() const { return floor_.load(std::memory_order_relaxed); }

 private:
  std::size_t requests_;
  std::uint64_t reserve_pages_;
  std::atomic<std::size_t> floor_ = 0;
  std::mutex mutex_;  // of what follows
  bool was_full_ = false;
  bool learning_ = true;
  double strength_ = 1.12;  // between two rungs: such that the model test holds at every rate
  double carried_ = 0;      // of the fractions so far
};

}  // namespace dormouse
