/// The order of a suspend, with every way back.
#pragma once

#include <cstdint>
#include <optional>

#include "dormouse/block_device.h"
#include "dormouse/cycle_observer.h"
#include "dormouse/error.h"
#include "dormouse/image_reader.h"
#include "dormouse/image_writer.h"
#include "dormouse/machine_power.h"
#include "dormouse/progress.h"
#include "dormouse/sealing.h"
#include "dormouse/shutdown_method.h"
#include "dormouse/snapshot_device.h"
#include "dormouse/swap_allocator.h"
#include "dormouse/swap_area.h"

namespace dormouse {

/// What a suspend works on; all of it outlives the cycle. Everything that needs memory has been prepared.
struct SuspendParts {
  SnapshotDevice& snapshot;  ///< its swap area has been chosen where the allocator needs that
  BlockDevice& device;       ///< where the image goes
  SwapArea& area;            ///< plain, on a device handle of its own that uses direct I/O
  SwapAllocator& allocator;
  ImageWriter& writer;
  ImageReader& reader;  ///< for verifying, and for the figures after waking up
  MachinePower& power;
  Progress& progress;
  CycleObserver& observer;
  /// What `writer` was prepared with, if it seals: opens the image for verifying. Wiped at once when the
  /// machine is back, since a copy of it was in the snapshot; otherwise the caller's to wipe, who may try
  /// again.
  ImageSeal* seal = nullptr;
};

struct SuspendRequest {
  ShutdownMethod method = ShutdownMethod::kPlatform;
  bool verify = false;
  bool platform = false;             ///< firmware hooks on; required for kPlatform
  std::uint64_t size_cap_bytes = 0;  ///< handed to the kernel; 0: as small as it can
  ImageIdentity identity;            ///< platform, size cap and the area's fields are filled in by the cycle
};

enum class SuspendEnd : std::uint8_t {
  kResumed,    ///< the machine was off, or restarted, and is back
  kWoke,       ///< suspended to RAM and woke up; the image is gone
  kRehearsed,  ///< nothing was marked, everything was taken back
};

struct SuspendOutcome {
  SuspendEnd end = SuspendEnd::kRehearsed;
  ImageFigures image;
  CodecCounts codecs;
  TransferFigures write;
  std::optional<TransferFigures> read;  ///< of the resume, read back from the image header
  PhaseLog phases;
};

/// Freezes, takes the snapshot, writes, flushes, marks, flushes, and powers off; returns when the machine is
/// back or when it has gone back. On return user space runs, slots and image are freed, and no mark is on the
/// area, whatever went wrong; the error is the first thing that did. One exception is said aloud in the
/// error: where the mark itself could not be removed. Call it from a thread with every signal that could end
/// the process blocked. Allocates nothing after the freeze.
Result<SuspendOutcome> run_suspend(const SuspendParts& parts, SuspendRequest request);

}  // namespace dormouse
