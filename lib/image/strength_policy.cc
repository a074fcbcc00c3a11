#include "image/strength_policy.h"

#include <algorithm>
#include <cmath>

#include "codec/codec_ladder.h"

namespace dormouse {
namespace {

/// A part of the image may shrink less than the rest; so much room is kept for that.
constexpr double kRoomMargin = 1.1;

/// Never more than this part of the room is kept back.
constexpr std::uint64_t kReserveOfRoom = 8;

/// What is to be said of the water is its excess: -1 where the device has nothing to do, 0 where it is just
/// busy. So far, in rungs, a chunk turns the valve for each unit of it, up to twice that much...
constexpr double kTurn = 0.015;
constexpr double kMostExcess = 2;
/// ...so much faster at first, until the tub, once it was this full, has become too empty: a slow device
/// would else get half an image that is packed too weakly.
constexpr double kLearningFactor = 7.5;
constexpr double kFull = 0.5;
/// ...and so far it is opened for as long as the excess lasts. Without this the water swings.
constexpr double kAtOnce = 0.5;

}  // namespace

std::size_t StrengthPolicy::choose(std::size_t in_flight) {
  const auto top = static_cast<double>(codec_ladder().size() - 1);
  const std::lock_guard lock(mutex_);
  const double excess = static_cast<double>(in_flight) / static_cast<double>(requests_) - 1;
  if (excess > kFull) was_full_ = true;
  if (was_full_ && excess < 0) learning_ = false;
  const double turn = learning_ && excess > 0 ? kTurn * kLearningFactor : kTurn;
  strength_ = std::clamp(strength_ + turn * std::min(excess, kMostExcess), 0.0, top);
  // A tub that is being filled for the first time says nothing by being empty.
  const double now = std::clamp(strength_ + (was_full_ || excess > 0 ? kAtOnce * excess : 0), 0.0, top);
  const double whole = std::floor(now);
  carried_ += now - whole;
  auto rung = static_cast<std::size_t>(whole);
  if (carried_ >= 1) {
    carried_ -= 1;
    ++rung;
  }
  return std::max(rung, floor());
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
