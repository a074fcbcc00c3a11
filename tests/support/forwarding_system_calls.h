/// System calls that go to others: what a fake of one or two calls begins with.
#pragma once

#include <memory>

#include "base/system_calls.h"

namespace dormouse::test {

class ForwardingSystemCalls : public SystemCalls {
 public:
  explicit ForwardingSystemCalls(SystemCalls& others = real_system_calls()) : others_(others) {}

  int open(const char* path, int flags, mode_t mode) override { return others_.open(path, flags, mode); }
  int close(int fd) override { return others_.close(fd); }
  int ioctl(int fd, unsigned long request, std::uintptr_t argument) override {
    return others_.ioctl(fd, request, argument);
  }
  ssize_t readv(int fd, const iovec* pieces, int count) override { return others_.readv(fd, pieces, count); }
  ssize_t writev(int fd, const iovec* pieces, int count) override {
    return others_.writev(fd, pieces, count);
  }
  ssize_t pread(int fd, void* out, std::size_t bytes, off_t offset) override {
    return others_.pread(fd, out, bytes, offset);
  }
  ssize_t pwrite(int fd, const void* data, std::size_t bytes, off_t offset) override {
    return others_.pwrite(fd, data, bytes, offset);
  }
  int fdatasync(int fd) override { return others_.fdatasync(fd); }
  int sync_file_range(int fd, off_t offset, off_t bytes, unsigned flags) override {
    return others_.sync_file_range(fd, offset, bytes, flags);
  }
  int ftruncate(int fd, off_t bytes) override { return others_.ftruncate(fd, bytes); }
  int rename(const char* from, const char* to) override { return others_.rename(from, to); }
  int unlink(const char* path) override { return others_.unlink(path); }
  int mlockall(int flags) override { return others_.mlockall(flags); }
  int munlockall() override { return others_.munlockall(); }
  int reboot(int command) override { return others_.reboot(command); }
  std::unique_ptr<IoRing> make_ring(unsigned depth) override { return others_.make_ring(depth); }
  void pause(std::chrono::nanoseconds time) override { others_.pause(time); }

 private:
  SystemCalls& others_;
};

}  // namespace dormouse::test
