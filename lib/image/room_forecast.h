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

  /// A chunk of `image_pages` found room in `stored_pages`.
  void stored(std::uint64_t image_pages, std::uint64_t stored_pages) {
    seen_pages_ += image_pages;
    used_pages_ += stored_pages;
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
};

}  // namespace dormouse
