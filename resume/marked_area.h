/// A swap area that carries a mark, and the image behind it.
#pragma once

#include <optional>
#include <string>

#include "dormouse/error.h"
#include "dormouse/image_reader.h"

#include "config/settings.h"
#include "tool/target_area.h"

namespace dormouse {

struct MarkedArea {
  TargetArea target;
  OpenArea opened;
  std::optional<ImageReader>
      reader;           ///< opened, with memory for the header alone; none where the image is not ours
  std::string foreign;  ///< whose it is then
};

/// Finds and opens the area. kNoImage where it is plain swap. A damaged image header of ours is kCorrupt.
/// `allow_file`: the area may lie in a regular file.
Result<MarkedArea> open_marked_area(const Settings& settings, Access access, bool allow_file);

/// The same, and only for an image of ours: kImpossible, with its owner's name, for another's.
Result<MarkedArea> open_own_image(const Settings& settings, bool allow_file, Access access);

/// A reader with memory for the image that `marked` holds, opened on it.
Result<ImageReader> prepare_reader(const MarkedArea& marked, unsigned threads);

}  // namespace dormouse
