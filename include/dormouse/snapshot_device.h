/// The kernel's side of hibernation, /dev/snapshot, as two seams: saving and restoring.
/// Source: kernel-facts A; Documentation/power/userland-swsusp.rst of the kernel names the same calls.
#pragma once

#include <cstdint>

#include "dormouse/error.h"
#include "dormouse/page_stream.h"
#include "dormouse/units.h"

namespace dormouse {

/// What CREATE_IMAGE came back with.
enum class SnapshotState : std::uint8_t {
  kCreated,  ///< the image was just made and can be read
  kResumed,  ///< nothing to save: the machine has just been resumed (or, rarely, the kernel gave up; see A.2)
};

/// /dev/snapshot opened for saving. All calls from the thread that called freeze(), except that the stream
/// may be read and slots allocated from other threads, one thread at a time each. Closing (the destructor)
/// frees slots and image and thaws. Errors carry the ioctl's name as operation.
class SnapshotDevice : public PageSource {
 public:
  /// Chooses the active swap area whose header lies `header_page` pages into the block device `device`
  /// (st_rdev); this also grants permission to write to a device in use as swap. kImpossible where no such
  /// area is active.
  virtual Result<void> set_swap_area(std::uint64_t device, std::uint64_t header_page) = 0;
  virtual Result<std::uint64_t> available_swap_bytes() = 0;
  /// One slot of the chosen area, a place on the block device.
  virtual Result<DeviceOffset> allocate_swap_page() = 0;
  virtual Result<void> free_swap_pages() = 0;

  virtual Result<void> set_preferred_image_bytes(std::uint64_t bytes) = 0;
  virtual Result<void> set_platform_support(bool on) = 0;
  virtual Result<void> freeze() = 0;
  /// Requires that no image is held (free_image() first), else the kernel silently does nothing.
  virtual Result<void> unfreeze() = 0;
  virtual Result<SnapshotState> create_image() = 0;
  /// Bytes in the stream; after it, total_pages() is known.
  virtual Result<std::uint64_t> image_bytes() = 0;
  virtual Result<void> free_image() = 0;
  /// Enters the firmware's hibernation state (needs platform support on). Returns only on failure.
  virtual Result<void> power_off() = 0;
  /// Suspends to RAM; returns after wake-up.
  virtual Result<void> suspend_to_ram() = 0;
};

/// /dev/snapshot opened for restoring. After any failed write() call free_image() and start at the first
/// page.
class RestoreDevice : public PageSink {
 public:
  virtual Result<void> set_platform_support(bool on) = 0;
  virtual Result<void> freeze() = 0;
  virtual Result<void> unfreeze() = 0;
  virtual Result<void> free_image() = 0;
  /// Jumps into the loaded image. Returns only on failure.
  virtual Result<void> atomic_restore() = 0;
};

}  // namespace dormouse
