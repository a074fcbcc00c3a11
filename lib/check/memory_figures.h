/// What is in memory, as far as it decides about the size of an image.
#pragma once

#include <cstdint>
#include <string_view>

#include "dormouse/error.h"

#include "kernel/host.h"

namespace dormouse {

/// Bytes, from /proc/meminfo. The kernel saves every page frame in use, its own included (kernel-facts A.7
/// and D.2). It makes the image smaller by dropping cache and by swapping out.
struct MemoryFigures {
  std::uint64_t total = 0;      ///< MemTotal
  std::uint64_t free = 0;       ///< MemFree
  std::uint64_t available = 0;  ///< MemAvailable
  std::uint64_t droppable = 0;  ///< page cache of files and reclaimable slab: gone without any swap
  std::uint64_t swappable = 0;  ///< anonymous and shared memory on the kernel's lists: gone if it can be
                                ///< swapped out
  /// What MemTotal leaves out and an image holds all the same: the kernel's code and data, and one structure
  /// of 64 bytes for each page frame. An estimate: the kernel does not say.
  std::uint64_t fixed = 0;
  std::uint64_t limit = 0;  ///< the largest image that the kernel can make: about half of the memory

  /// What an image holds if nothing is dropped or swapped out.
  [[nodiscard]] std::uint64_t saveable() const { return total - free + fixed; }
  /// The same without all that can be dropped.
  [[nodiscard]] std::uint64_t undroppable() const {
    return saveable() > droppable ? saveable() - droppable : 0;
  }
};

/// kIo where /proc/meminfo cannot be read or does not say what is needed.
Result<MemoryFigures> read_memory_figures(const Host& host, std::uint32_t page_bytes);

/// An image, and what has to be swapped out to make it so.
struct ForetoldImage {
  std::uint64_t image_bytes = 0;
  std::uint64_t swapped_out_bytes = 0;
};

/// What the kernel makes of a cap (hibernate_preallocate_memory, in our words): all that is in use, if that
/// is within the cap and within half of the memory. Else it drops cache until it is, and where that does not
/// suffice, swaps out, as far as there is room.
[[nodiscard]] ForetoldImage foretell_image(const MemoryFigures& memory, std::uint64_t cap_bytes,
                                           std::uint64_t free_swap_bytes);

}  // namespace dormouse
