#include "base/system_calls.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/reboot.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <utility>

namespace dormouse {
namespace {

template <class T>
T or_errno(T result) {
  return result < 0 ? static_cast<T>(-errno) : result;
}

class RealSystemCalls final : public SystemCalls {
 public:
  int open(const char* path, int flags, mode_t mode) override { return or_errno(::open(path, flags, mode)); }
  int close(int fd) override { return or_errno(::close(fd)); }
  int ioctl(int fd, unsigned long request, std::uintptr_t argument) override {
    return or_errno(::ioctl(fd, request, argument));
  }
  ssize_t readv(int fd, const iovec* pieces, int count) override {
    return or_errno(::readv(fd, pieces, count));
  }
  ssize_t writev(int fd, const iovec* pieces, int count) override {
    return or_errno(::writev(fd, pieces, count));
  }
  ssize_t pread(int fd, void* out, std::size_t bytes, off_t offset) override {
    return or_errno(::pread(fd, out, bytes, offset));
  }
  ssize_t pwrite(int fd, const void* data, std::size_t bytes, off_t offset) override {
    return or_errno(::pwrite(fd, data, bytes, offset));
  }
  int fdatasync(int fd) override { return or_errno(::fdatasync(fd)); }
  int sync_file_range(int fd, off_t offset, off_t bytes, unsigned flags) override {
    return or_errno(::sync_file_range(fd, offset, bytes, flags));
  }
  int ftruncate(int fd, off_t bytes) override { return or_errno(::ftruncate(fd, bytes)); }
  int rename(const char* from, const char* to) override { return or_errno(std::rename(from, to)); }
  int unlink(const char* path) override { return or_errno(::unlink(path)); }
  int mlockall(int flags) override { return or_errno(::mlockall(flags)); }
  int munlockall() override { return or_errno(::munlockall()); }
  int reboot(int command) override { return or_errno(::reboot(command)); }
  std::unique_ptr<IoRing> make_ring(unsigned depth) override { return make_kernel_ring(depth); }
  void pause(std::chrono::nanoseconds time) override {
    if (time.count() <= 0) {
      ::sched_yield();
      return;
    }
    timespec left{};
    left.tv_sec = static_cast<time_t>(time.count() / 1'000'000'000);
    left.tv_nsec = static_cast<long>(time.count() % 1'000'000'000);
    while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
  }
};

}  // namespace

SystemCalls& real_system_calls() {
  static RealSystemCalls calls;
  return calls;
}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : calls_(std::exchange(other.calls_, nullptr)), fd_(std::exchange(other.fd_, -1)) {}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  if (this != &other) {
    close();
    calls_ = std::exchange(other.calls_, nullptr);
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

int OpenFile::close() {
  const int fd = std::exchange(fd_, -1);
  return fd < 0 ? 0 : calls_->close(fd);
}

}  // namespace dormouse
