/// The few system calls that can ruin a hibernation, behind one small seam, so that a test can make any of
/// them fail with any errno at any time. Everything else (stat, uname, ...) is called plainly.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/io_ring.h"

namespace dormouse {

/// Each call does what its namesake in section 2 of the manual does, except that failure is returned as a
/// *negative errno* (-EIO) and the global errno means nothing. Nothing is retried here: EINTR and short
/// transfers are the caller's. No call allocates. Threads: any.
class SystemCalls {
 public:
  virtual ~SystemCalls() = default;
  virtual int open(const char* path, int flags, mode_t mode) = 0;
  virtual int close(int fd) = 0;
  /// `argument` is a pointer or a number, as the request wants it.
  virtual int ioctl(int fd, unsigned long request, std::uintptr_t argument) = 0;
  virtual ssize_t readv(int fd, const iovec* pieces, int count) = 0;
  virtual ssize_t writev(int fd, const iovec* pieces, int count) = 0;
  virtual ssize_t pread(int fd, void* out, std::size_t bytes, off_t offset) = 0;
  virtual ssize_t pwrite(int fd, const void* data, std::size_t bytes, off_t offset) = 0;
  virtual int fdatasync(int fd) = 0;
  virtual int sync_file_range(int fd, off_t offset, off_t bytes, unsigned flags) = 0;
  virtual int ftruncate(int fd, off_t bytes) = 0;
  virtual int rename(const char* from, const char* to) = 0;
  virtual int unlink(const char* path) = 0;
  virtual int mlockall(int flags) = 0;
  virtual int munlockall() = 0;
  virtual int reboot(int command) = 0;
  /// A ring for at most `depth` requests in flight; null where there is none to have.
  virtual std::unique_ptr<IoRing> make_ring(unsigned /*depth*/) { return nullptr; }
  /// Waits between two tries; zero only lets others run.
  virtual void pause(std::chrono::nanoseconds time) = 0;
};

/// The running kernel's. Lives as long as the program.
SystemCalls& real_system_calls();

/// A descriptor got through SystemCalls::open and closed through the same object. Move-only.
class [[nodiscard]] OpenFile {
 public:
  OpenFile() = default;
  OpenFile(SystemCalls& calls, int fd) : calls_(&calls), fd_(fd) {}
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { close(); }

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  /// 0 or a negative errno; the descriptor is gone either way. Does nothing when none is held.
  int close();

 private:
  SystemCalls* calls_ = nullptr;
  int fd_ = -1;
};

}  // namespace dormouse
