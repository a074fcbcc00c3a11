/// Transfers that the kernel makes while the caller goes on: the part of io_uring(7) that is used, behind a
/// seam.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace dormouse {

/// One thread begins, one other waits. No call allocates.
class IoRing {
 public:
  /// As pread and pwrite have it.
  struct Transfer {
    bool write = false;
    int fd = -1;
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::uint64_t offset = 0;
    bool never_wait =
        false;  ///< end with -EAGAIN rather than let a worker of the kernel wait for room in a queue
  };
  static constexpr std::uint64_t kNobody = ~std::uint64_t{0};
  struct Ended {
    std::uint64_t tag = 0;
    ssize_t moved = 0;  ///< bytes, or a negative errno
  };

  virtual ~IoRing() = default;
  /// Lets the kernel know buffers in advance; 0 or a negative errno: it is only quicker with it.
  virtual int register_memory(std::span<std::byte> memory) = 0;
  virtual void forget_memory() = 0;
  /// 0, or a negative errno: nothing was begun, and wait() may tell of kNobody. Requires: fewer than the
  /// ring's depth are in flight.
  virtual int begin(const Transfer& transfer, std::uint64_t tag) = 0;
  /// Lets wait() return with `tag` and nothing moved. Counts as one that is in flight.
  virtual int knock(std::uint64_t tag) = 0;
  /// The next that has ended. 0, or a negative errno, where there is none for a while (-ETIME), say.
  virtual int wait(Ended& ended) = 0;
};

/// The running kernel's, or null where it has none to give: too old, forbidden
/// (/proc/sys/kernel/io_uring_disabled, seccomp), out of memory or descriptors. `depth` is a power of two.
std::unique_ptr<IoRing> make_kernel_ring(unsigned depth);

}  // namespace dormouse
