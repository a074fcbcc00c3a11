/// The order of a resume.
#pragma once

#include "dormouse/cycle_observer.h"
#include "dormouse/error.h"
#include "dormouse/image_reader.h"
#include "dormouse/progress.h"
#include "dormouse/snapshot_device.h"
#include "dormouse/swap_area.h"

namespace dormouse {

struct ResumeParts {
  RestoreDevice& restore;
  SwapArea& area;       ///< marked, on the device `reader` reads from
  ImageReader& reader;  ///< opened
  Progress& progress;
  CycleObserver& observer;
};

/// Loads the image, every byte checked, into the kernel; notes the figures; freezes; clears the mark,
/// flushed; jumps. Returns only on failure. Until the mark is cleared a failure leaves the image as it is;
/// after that the kernel refused the jump and the image is given up, which the error says.
Result<void> run_resume(const ResumeParts& parts);

}  // namespace dormouse
