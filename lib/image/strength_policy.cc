#include "image/strength_policy.h"

#include <algorithm>

namespace dormouse {
namespace {

/// A part of the image may shrink less than the rest; so much room is kept for that.
constexpr double kRoomMargin = 1.1;

/// This part of the ring's pages, but never more than this part of the room, is kept back.
constexpr std::uint64_t kReservePart = 4;
constexpr std::uint64_t kReserveOfRoom = 8;

}  // namespace

StrengthPolicy::StrengthPolicy(std::size_t slots, unsigned workers, unsigned requests,
                               std::uint64_t chunk_pages)
    : lead_(requests),
      span_(std::max<std::size_t>(1, slots - std::min<std::size_t>(slots - 1, workers + 1 + requests))),
      reserve_pages_(slots * chunk_pages / kReservePart) {}

std::size_t StrengthPolicy::choose(std::size_t waiting) const {
  const std::size_t top = codec_ladder().size() - 1;
  const std::size_t level = waiting <= lead_ ? 0 : std::min(top, 1 + (waiting - lead_ - 1) * top / span_);
  return std::max(level, floor());
}

void StrengthPolicy::heed_room(const RoomForecast& forecast) {
  const auto ladder = codec_ladder();
  const double rest = static_cast<double>(forecast.unseen_pages());
  if (rest == 0) return;
  const std::uint64_t left = forecast.room_left();
  const std::uint64_t reserve = std::min(reserve_pages_, forecast.free_pages() / kReserveOfRoom);
  const double room = static_cast<double>(left - std::min(left, reserve)) / rest;
  // What the ladder promises is true of a desktop; this machine's memory may be harder to pack.
  const double hardness = std::max(0.5, forecast.hardness());
  std::size_t rung = 0;
  while (rung + 1 < ladder.size() && ladder[rung].ratio * hardness * kRoomMargin > room) ++rung;
  floor_.store(rung, std::memory_order_relaxed);
}

}  // namespace dormouse
