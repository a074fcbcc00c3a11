/// The swap area that a tool works on, opened.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "dormouse/error.h"
#include "dormouse/image_options.h"
#include "dormouse/swap_area.h"

#include "area/target_area.h"
#include "io/posix_block_device.h"
#include "kernel/host.h"

namespace dormouse {

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
