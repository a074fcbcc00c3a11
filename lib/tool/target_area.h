/// Which swap area a tool works on, and how it is reached.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dormouse/error.h"
#include "dormouse/image_options.h"
#include "dormouse/swap_area.h"

#include "area/target_area.h"
#include "io/posix_block_device.h"
#include "kernel/host.h"

namespace dormouse {

/// Finds the area to save to: the named one, else the active swap partition of the highest priority.
/// kUsage for a name that leads nowhere or to the wrong kind of thing; kImpossible where nothing fits.
/// `allow_file`: a regular file may be the area itself (file mode).
Result<TargetArea> find_area(const NamedArea& named, bool allow_file, const Host& host = {});

/// Finds the area to resume from: the named one, else the one the kernel is configured with
/// (/sys/power/resume).
Result<TargetArea> find_resume_area(const NamedArea& named, bool allow_file, const Host& host = {});

/// The area, opened twice: image data goes the way that was asked for, header and mark always by direct I/O
/// where the file system can.
struct OpenArea {
  std::unique_ptr<PosixBlockDevice> data;
  std::unique_ptr<PosixBlockDevice> header;
  std::optional<SwapArea> area;
};

/// kImpossible where there is no swap area, or one of another page size than `page_bytes` (0: any).
Result<OpenArea> open_area(const TargetArea& target, IoMode io, Access access, std::uint32_t page_bytes,
                           const Host& host = {});

/// Where extents of an image in this area may lie.
std::uint64_t end_page(const TargetArea& target, const SwapArea& area);

}  // namespace dormouse
