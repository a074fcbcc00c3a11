/// A swap area that carries a mark, and the image behind it.
#pragma once

#include <optional>
#include <string>

#include "dormouse/error.h"
#include "dormouse/image_reader.h"

#include "config/settings.h"
#include "kernel/host.h"
#include "tool/target_area.h"

namespace dormouse {

struct MarkedArea {
  TargetArea target;
  OpenArea opened;
  std::optional<ImageReader>
      reader;           ///< opened, with memory for the header alone; none where the image is not ours
  std::string foreign;  ///< whose it is then
};

/// Finds the area that a tool other than the boot is to look at, a regular file, too; says what a name
/// became.
Result<TargetArea> find_image_area(const Settings& settings);

/// Opens an area and looks at the mark, but not at what it leads to. kNoImage where it is plain swap.
Result<MarkedArea> open_target_with_mark(const TargetArea& target, const Settings& settings, Access access,
                                         const Host& host = {});

/// The same, and opens what the mark leads to. A damaged image header of ours is kCorrupt.
Result<MarkedArea> open_marked_area(const TargetArea& target, const Settings& settings, Access access);

/// Finds the area, and opens an image of ours in it to read: kImpossible, with its owner's name, for
/// another's.
Result<MarkedArea> open_own_image(const Settings& settings);

[[nodiscard]] ImageBounds bounds_of(const MarkedArea& marked);

/// A reader with memory for chunks of `chunk_bytes`, and to read `ahead_bytes` ahead, opened on the image of
/// `marked`.
Result<ImageReader> prepare_reader(const MarkedArea& marked, std::uint32_t chunk_bytes, unsigned threads,
                                   std::uint64_t ahead_bytes = 0);

}  // namespace dormouse
