/// How much room an image will take, told from the chunks that were stored so far.
#pragma once

#include <cstdint>

namespace dormouse {

/// One thread. Allocates nothing.
class RoomForecast {
 public:
  /// Of an image of `image_pages`; `map_pages` are needed beside its chunks.
  RoomForecast(std::uint64_t image_pages, std::uint64_t map_pages, std::uint64_t free_pages)
      : image_pages_(image_pages), map_pages_(map_pages), free_pages_(free_pages) {}

  /// A chunk of `image_pages` found room in `stored_pages`; `expected_ratio`: what its codec makes of usual
  /// memory.
  void stored(std::uint64_t image_pages, std::uint64_t stored_pages, double expected_ratio = 1.0) {
    seen_pages_ += image_pages;
    used_pages_ += stored_pages;
    expected_pages_ += static_cast<double>(image_pages) * expected_ratio;
  }

  [[nodiscard]] std::uint64_t unseen_pages() const { return image_pages_ - seen_pages_; }
  /// For the chunks that are still to come.
  [[nodiscard]] std::uint64_t room_left() const {
    const std::uint64_t taken = used_pages_ + map_pages_;
    return taken < free_pages_ ? free_pages_ - taken : 0;
  }
  /// What the codecs used so far make of usual memory; 1 before anything was seen.
  [[nodiscard]] double usual_ratio() const {
    return seen_pages_ == 0 ? 1.0 : expected_pages_ / static_cast<double>(seen_pages_);
  }
  /// How much worse this memory packs than usual memory; 1 before anything was seen.
  [[nodiscard]] double hardness() const {
    return expected_pages_ == 0 ? 1.0 : static_cast<double>(used_pages_) / expected_pages_;
  }

  /// Pages of the area for the whole image, if the rest shrinks as what was seen; before anything was seen,
  /// as if nothing shrank.
  [[nodiscard]] std::uint64_t needed_pages() const;

  /// Whether going on is a waste of time. After the first per cent only where half as much again as there is
  /// would be needed, since memory is not alike everywhere; the more has been seen, the less margin is given.
  [[nodiscard]] bool hopeless() const;

  [[nodiscard]] std::uint64_t seen_pages() const { return seen_pages_; }
  [[nodiscard]] std::uint64_t free_pages() const { return free_pages_; }

 private:
  std::uint64_t image_pages_;
  std::uint64_t map_pages_;
  std::uint64_t free_pages_;
  std::uint64_t seen_pages_ = 0;
  std::uint64_t used_pages_ = 0;
  double expected_pages_ = 0;
};

}  // namespace dormouse
