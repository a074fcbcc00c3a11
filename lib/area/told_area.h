/// Where this boot was told to look for an image.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "area/target_area.h"
#include "kernel/host.h"

namespace dormouse {

/// Where a name comes from that resume= gave; for messages.
inline constexpr std::string_view kKernelLine = "resume= of the kernel command line";

/// resume= and resume_offset= of the kernel command line. Names nothing where they say nothing, or where that
/// cannot be read.
NamedArea told_by_kernel_line(const Host& host);

/// /sys/power/resume and its offset, which may be left from another program; else as above.
NamedArea told_by_kernel(const Host& host);

struct ToldPlace {
  std::uint64_t device_number = 0;
  std::uint64_t header_page = 0;
};

/// What the kernel command line leads to now; nullopt where that is no block device that is there.
std::optional<ToldPlace> told_place(const Host& host);

}  // namespace dormouse
