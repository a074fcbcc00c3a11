/// The order of a resume.
#pragma once

#include "dormouse/cycle_observer.h"
#include "dormouse/error.h"
#include "dormouse/image_reader.h"
#include "dormouse/key_gate.h"
#include "dormouse/progress.h"
#include "dormouse/snapshot_device.h"
#include "dormouse/swap_area.h"

namespace dormouse {

struct ResumeParts {
  RestoreDevice& restore;
  SwapArea& area;       ///< marked, on the device `reader` reads from
  ImageReader& reader;  ///< opened; and unlocked where the image is sealed, or `gate` is given
  Progress& progress;
  CycleObserver& observer;
  /// Another thread asks for the key, and decides it: see ImageReader::read(). Where reading fails, the
  /// reader's key is then for the caller to forget, once that thread has ended.
  KeyGate* gate = nullptr;
};

/// One try, which the caller has counted (ImageReader::note_attempt). Loads the image, every byte checked,
/// into the kernel; forgets the image's key; notes the figures; freezes; clears the mark, flushed; notes that
/// the jump is on, flushed; jumps. Returns only on failure, user space thawed. The image is then as it was:
/// where the mark was off already it is on again, which is safe, since nothing has been mounted. Only where
/// putting it back failed is `area.mark_taken_off()` true, and the error says so. An observer that was not
/// told of the thaw is to be told once `restore` is closed. Allocates nothing after the freeze.
Result<void> run_resume(const ResumeParts& parts);

}  // namespace dormouse
