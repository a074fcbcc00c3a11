/// Keeps a check from being ended for want of memory.
#pragma once

#include <sys/resource.h>

#include <optional>

#include "kernel/host.h"

namespace dormouse {

/// While it lives, this process gets no more memory than is available now: what does not fit is refused
/// (ENOMEM), where the kernel would grant it and end somebody for it later. Without effect where it cannot be
/// told how much there is.
class [[nodiscard]] MemoryBound {
 public:
  explicit MemoryBound(const Host& host);
  MemoryBound(const MemoryBound&) = delete;
  MemoryBound& operator=(const MemoryBound&) = delete;
  ~MemoryBound();

 private:
  std::optional<rlimit> before_;
};

}  // namespace dormouse
