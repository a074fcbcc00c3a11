/// Which swap area a tool works on, and how it was found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dormouse {

/// What the user named; both may be missing.
struct NamedArea {
  std::string resume_device =
      {};  ///< path, swap file, UUID= LABEL= PARTUUID= PARTLABEL=, MAJOR:MINOR; empty: find it
  std::optional<std::uint64_t> resume_offset_pages = {};  ///< belongs to resume_device; never without it
  std::string origin = {};  ///< "/etc/suspend.conf:3", "--resume-device"; for messages
};

struct TargetArea {
  std::string path = {};            ///< a block device, or in file mode a regular file
  std::uint64_t header_page = 0;    ///< page index of the swap header on it
  std::uint64_t device_number = 0;  ///< st_rdev of a block device
  bool active = false;              ///< swapped on: room comes from the kernel
  bool regular_file = false;        ///< file mode: the area is the regular file `path` itself
  std::string swap_file = {};       ///< path of the swap file on that device, where it is known
  std::string named_as = {};        ///< what was written, where `path` is something else; else empty
};

/// An area that was not taken, and why: a sentence with the way to use it all the same, if there is one.
struct PassedOver {
  std::string path = {};
  std::string reason = {};
};

struct AreaSearch {
  TargetArea target = {};
  std::vector<PassedOver> passed_over = {};  ///< in the order of /proc/swaps
  std::vector<std::string> notes = {};  ///< to be shown: what a name became, a stale offset with both numbers
};

}  // namespace dormouse
