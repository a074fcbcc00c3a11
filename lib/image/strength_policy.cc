#include "image/strength_policy.h"

#include <algorithm>

namespace dormouse {
namespace {

/// A part of the image may shrink less than the rest; so much room is kept for that.
constexpr double kRoomMargin = 1.1;

}  // namespace

StrengthPolicy::StrengthPolicy(std::size_t slots, unsigned workers, unsigned requests)
    : lead_(requests),
      span_(std::max<std::size_t>(1, slots - std::min<std::size_t>(slots - 1, workers + 1 + requests))) {}

std::size_t StrengthPolicy::choose(std::size_t waiting) const {
  const std::size_t top = codec_ladder().size() - 1;
  const std::size_t level = waiting <= lead_ ? 0 : std::min(top, 1 + (waiting - lead_ - 1) * top / span_);
  return std::max(level, floor());
}

void StrengthPolicy::heed_room(const RoomForecast& forecast) {
  const auto ladder = codec_ladder();
  const double rest = static_cast<double>(forecast.unseen_pages());
  if (rest == 0) return;
  const double room = static_cast<double>(forecast.room_left()) / rest;
  // What the ladder promises is true of a desktop; this machine's memory may be harder to pack.
  const double hardness = std::max(0.5, forecast.hardness());
  std::size_t rung = 0;
  while (rung + 1 < ladder.size() && ladder[rung].ratio * hardness * kRoomMargin > room) ++rung;
  floor_.store(rung, std::memory_order_relaxed);
}

}  // namespace dormouse
