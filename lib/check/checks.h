/// The checks of `s2disk --check`, by theme. None changes anything on the machine; none opens the snapshot
/// device, since opening it has effects (kernel-facts A.1). Ids: finding_ids.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dormouse/error.h"

#include "area/target_area.h"
#include "check/check_subject.h"
#include "check/finding.h"
#include "check/memory_figures.h"

namespace dormouse {

/// Would the kernel let us: hibernation built in and not disabled, snapshot device there and free, no test
/// mode that lets no image be made, the shutdown method available; what could hold up the freeze.
[[nodiscard]] Findings check_kernel(const CheckSubject& subject);

/// Settings that are right by themselves and cannot be met on this machine. `memory`: nullopt where it is not
/// known.
[[nodiscard]] Findings check_settings_here(const CheckSubject& subject,
                                           const std::optional<MemoryFigures>& memory);

/// The area that was found, as its header and the kernel describe it.
struct AreaFacts {
  std::string path;
  std::uint64_t offset_pages = 0;
  std::string swap_file = {};  ///< empty: a partition, or not known
  bool active = false;
  std::uint64_t size_bytes = 0;  ///< that can hold data: the header and bad pages are not counted
  std::uint64_t free_bytes = 0;
  std::uint64_t free_elsewhere_bytes = 0;  ///< in all other active areas
};

struct CheckedArea {
  Findings findings;
  std::optional<AreaFacts> facts;  ///< nullopt where no image could be put there at all
};

/// `search`: what looking for the area gave. subject.target is not looked at.
[[nodiscard]] CheckedArea check_area(const CheckSubject& subject, const Result<AreaSearch>& search);

/// The size of an image that would be made now, and of what would be stored of it.
struct Prediction {
  std::uint64_t image_bytes = 0;
  std::uint64_t swapped_out_bytes = 0;  ///< what the kernel would have to swap out to make it so small
  std::string codec;                    ///< "lz4", "zstd:3"; for auto the weakest it would choose
  double ratio = 1;                     ///< packed by unpacked
  std::uint64_t sampled_bytes = 0;      ///< memory that was packed to find the ratio; 0: the usual one
  std::uint64_t stored_bytes = 0;       ///< with swap map and image header
  std::uint64_t least_bytes = 0;        ///< the smallest image, packed by the strongest codec
};

struct CheckedRoom {
  Findings findings;
  Prediction prediction;
};

/// Foretells the image and compares it with the room. Packs a sample of this machine's memory for at most a
/// second or so. `extents`: pieces that a swap file lies in, 0 where that is not known.
[[nodiscard]] CheckedRoom check_room(const CheckSubject& subject, const AreaFacts& area,
                                     const MemoryFigures& memory, std::uint64_t extents);

/// RAM in use against the limit of half of it, and what is free against what s2disk itself takes.
/// `free_swap_bytes`: of all areas. `own_bytes`: 0 where it is not known.
[[nodiscard]] Findings check_memory(const MemoryFigures& memory, std::uint64_t free_swap_bytes,
                                    std::uint64_t own_bytes);

}  // namespace dormouse
