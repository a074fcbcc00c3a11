#include "image/room_forecast.h"

#include <cmath>

namespace dormouse {
namespace {

constexpr double kFirstLook = 0.01;
constexpr double kFirstMargin = 0.5;

}  // namespace

std::uint64_t RoomForecast::needed_pages() const {
  const double ratio =
      seen_pages_ == 0 ? 1.0 : static_cast<double>(used_pages_) / static_cast<double>(seen_pages_);
  return static_cast<std::uint64_t>(std::ceil(ratio * static_cast<double>(image_pages_))) + map_pages_;
}

bool RoomForecast::hopeless() const {
  const double seen = static_cast<double>(seen_pages_) / static_cast<double>(image_pages_);
  if (seen < kFirstLook) return false;
  const double margin = 1.0 + kFirstMargin * (1.0 - seen);
  return static_cast<double>(needed_pages()) > margin * static_cast<double>(free_pages_);
}

}  // namespace dormouse
