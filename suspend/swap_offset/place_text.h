/// What swap-offset prints.
#pragma once

#include <string>

#include "area/swap_file.h"
#include "device_tags.h"
#include "swap_offset_options.h"

namespace dormouse {

/// What is known of an area; of one that is a whole block device `place.file` is empty.
struct KnownPlace {
  SwapFilePlace place;
  DeviceTags tags;
  bool uuid_shared = false;  ///< so that it names no single device
  std::uint32_t page_bytes = 0;
};

/// With the line feed at its end.
[[nodiscard]] std::string place_text(const KnownPlace& known, PlaceFormat format);

}  // namespace dormouse
