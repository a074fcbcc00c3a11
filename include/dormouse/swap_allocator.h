/// Who hands out room in a swap area: the kernel for an active one, our own layout for one nobody uses.
#pragma once

#include <cstdint>

#include "dormouse/error.h"
#include "dormouse/units.h"

namespace dormouse {

/// Hands out pages of the swap area, each at most once, never the swap header page or a bad page.
/// One thread at a time, but for stock_up(). No call allocates memory.
class SwapAllocator {
 public:
  virtual ~SwapAllocator() = default;
  /// A contiguous run of 1 to `max_pages` pages; shorter where the area is in pieces.
  /// kNoSpace once the area is full. Requires: max_pages >= 1.
  virtual Result<Extent> allocate(std::uint64_t max_pages) = 0;
  /// Takes pages in advance until `pages` are in stock, so that allocate() need not ask the kernel. Only a
  /// help: what goes wrong is met by allocate(). Another thread than allocate()'s may call it, at the same
  /// time.
  virtual void stock_up(std::uint64_t pages) { (void)pages; }
  /// Pages that can still be handed out.
  [[nodiscard]] virtual Result<std::uint64_t> free_pages() = 0;
  /// Gives everything back. Called on every way back to the running system.
  virtual Result<void> release_all() = 0;
};

}  // namespace dormouse
