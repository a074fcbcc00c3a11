/// Pages for what must not be seen elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dormouse/error.h"

namespace dormouse {

/// Anonymous pages that no core dump holds and that a child process sees as zeros. Plain numbers, so that the
/// owner decides how they end.
struct PrivatePages {
  std::byte* data = nullptr;
  std::size_t bytes = 0;  ///< whole pages
};

enum class PageLock : std::uint8_t {
  kRequired,  ///< kNoMemory where RLIMIT_MEMLOCK forbids it
  kIfAllowed,
};

/// Zeroed; where it is locked, all of it is there. kNoMemory names the bytes. Requires: bytes > 0.
Result<PrivatePages> map_private_pages(std::size_t bytes, PageLock lock);

/// Has no core dump hold `memory`, whole pages that are somebody's already, and locks it where RLIMIT_MEMLOCK
/// allows: what passes through it for a moment only.
void keep_private_if_allowed(std::span<std::byte> memory);

/// Overwrites them and gives them back. Nothing for empty ones.
void unmap_private_pages(const PrivatePages& pages);

}  // namespace dormouse
