#include <fcntl.h>
#include <liburing.h>
#include <sched.h>
#include <sys/uio.h>

#include <cerrno>

#include "base/io_ring.h"

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

namespace dormouse {
namespace {

/// Only reads and writes: flushes go to a worker of the kernel, which thawing would then find (kernel-facts
/// E2).
class KernelRing final : public IoRing {
 public:
  explicit KernelRing(unsigned depth) : status_(::io_uring_queue_init(depth, &ring_, IORING_SETUP_CLAMP)) {}
  KernelRing(const KernelRing&) = delete;
  KernelRing& operator=(const KernelRing&) = delete;
  ~KernelRing() override {
    if (usable()) ::io_uring_queue_exit(&ring_);
  }
  [[nodiscard]] bool usable() const { return status_ == 0; }
  /// Else waiting for a limited time would need the other thread's side of the ring.
  [[nodiscard]] bool waits_apart() const { return (ring_.features & IORING_FEAT_EXT_ARG) != 0; }

  int register_memory(std::span<std::byte> memory) override {
    const iovec piece{.iov_base = memory.data(), .iov_len = memory.size()};
    const int status = ::io_uring_register_buffers(&ring_, &piece, 1);
    registered_ = status == 0;
    return status;
  }

  void forget_memory() override {
    if (registered_) ::io_uring_unregister_buffers(&ring_);
    registered_ = false;
  }

  int begin(const Transfer& transfer, std::uint64_t tag) override {
    io_uring_sqe* entry = ::io_uring_get_sqe(&ring_);
    if (entry == nullptr) return -EBUSY;
    const auto bytes = static_cast<unsigned>(transfer.bytes);
    if (transfer.write && registered_) {
      ::io_uring_prep_write_fixed(entry, transfer.fd, transfer.data, bytes, transfer.offset, 0);
    } else if (transfer.write) {
      ::io_uring_prep_write(entry, transfer.fd, transfer.data, bytes, transfer.offset);
    } else if (registered_) {
      ::io_uring_prep_read_fixed(entry, transfer.fd, transfer.data, bytes, transfer.offset, 0);
    } else {
      ::io_uring_prep_read(entry, transfer.fd, transfer.data, bytes, transfer.offset);
    }
    if (transfer.never_wait) entry->rw_flags = RWF_NOWAIT;
    return submit(entry, tag);
  }

  int knock(std::uint64_t tag) override {
    io_uring_sqe* entry = ::io_uring_get_sqe(&ring_);
    if (entry == nullptr) return -EBUSY;
    ::io_uring_prep_nop(entry);
    return submit(entry, tag);
  }

  int wait(Ended& ended) override {
    io_uring_cqe* entry = nullptr;
    // Not for ever: where no knock comes through, the caller has to look for itself.
    __kernel_timespec most{.tv_sec = 0, .tv_nsec = 50'000'000};
    if (const int status = ::io_uring_wait_cqe_timeout(&ring_, &entry, &most); status < 0) return status;
    ended = {.tag = entry->user_data, .moved = entry->res};
    ::io_uring_cqe_seen(&ring_, entry);
    return 0;
  }

 private:
  // An entry that was made cannot be taken back. It is offered until the kernel has it; one that it will
  // never take does nothing, should it be taken with a later one after all.
  int submit(io_uring_sqe* entry, std::uint64_t tag) {
    entry->user_data = tag;
    while (true) {
      const int status = ::io_uring_submit(&ring_);
      if (status >= 1) return 0;
      if (status != 0 && status != -EINTR && status != -EAGAIN && status != -EBUSY) {
        ::io_uring_prep_nop(entry);
        entry->user_data = kNobody;
        return status;
      }
      ::sched_yield();
    }
  }

  io_uring ring_{};
  int status_;
  bool registered_ = false;
};

}  // namespace

std::unique_ptr<IoRing> make_kernel_ring(unsigned depth) {
  // valgrind runs one thread at a time and does not let go while that one waits for a ring.
  if (RUNNING_ON_VALGRIND != 0) return nullptr;
  auto ring = std::make_unique<KernelRing>(depth);
  if (!ring->usable() || !ring->waits_apart()) return nullptr;
  return ring;
}

}  // namespace dormouse
