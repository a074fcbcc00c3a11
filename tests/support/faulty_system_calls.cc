#include "support/faulty_system_calls.h"

#include <algorithm>

#include "support/stepped_ring.h"

namespace dormouse::test {

int FaultySystemCalls::faulted(std::string_view name) {
  if (at_call) at_call(name);
  const auto r = faults_.pass(name);
  return r ? 0 : -r.error().errnum;
}

int FaultySystemCalls::open(const char* path, int flags, mode_t mode) {
  const int r = faulted("open");
  return r < 0 ? r : inner_.open(path, flags, mode);
}

int FaultySystemCalls::close(int fd) {
  const int status = inner_.close(fd);  // as in the kernel, the descriptor is gone even when close fails
  const int r = faulted("close");
  return r < 0 ? r : status;
}

int FaultySystemCalls::ioctl(int fd, unsigned long request, std::uintptr_t argument) {
  const int r = faulted(ioctl_name_ == nullptr ? "ioctl" : ioctl_name_(request));
  return r < 0 ? r : inner_.ioctl(fd, request, argument);
}

ssize_t FaultySystemCalls::readv(int fd, const iovec* pieces, int count) {
  const int r = faulted("readv");
  return r < 0 ? r : inner_.readv(fd, pieces, limited(pieces, count));
}

ssize_t FaultySystemCalls::writev(int fd, const iovec* pieces, int count) {
  const int r = faulted("writev");
  return r < 0 ? r : inner_.writev(fd, pieces, limited(pieces, count));
}

ssize_t FaultySystemCalls::pread(int fd, void* out, std::size_t bytes, off_t offset) {
  const int r = faulted("pread");
  return r < 0 ? r : inner_.pread(fd, out, limit_ == 0 ? bytes : std::min(bytes, limit_), offset);
}

ssize_t FaultySystemCalls::pwrite(int fd, const void* data, std::size_t bytes, off_t offset) {
  const int r = faulted("pwrite");
  return r < 0 ? r : inner_.pwrite(fd, data, limit_ == 0 ? bytes : std::min(bytes, limit_), offset);
}

int FaultySystemCalls::fdatasync(int fd) {
  const int r = faulted("fdatasync");
  return r < 0 ? r : inner_.fdatasync(fd);
}

int FaultySystemCalls::sync_file_range(int fd, off_t offset, off_t bytes, unsigned flags) {
  const int r = faulted("sync_file_range");
  return r < 0 ? r : inner_.sync_file_range(fd, offset, bytes, flags);
}

int FaultySystemCalls::ftruncate(int fd, off_t bytes) {
  const int r = faulted("ftruncate");
  return r < 0 ? r : inner_.ftruncate(fd, bytes);
}

int FaultySystemCalls::rename(const char* from, const char* to) {
  const int r = faulted("rename");
  return r < 0 ? r : inner_.rename(from, to);
}

int FaultySystemCalls::unlink(const char* path) {
  const int r = faulted("unlink");
  return r < 0 ? r : inner_.unlink(path);
}

int FaultySystemCalls::mlockall(int flags) {
  const int r = faulted("mlockall");
  return r < 0 ? r : inner_.mlockall(flags);
}

int FaultySystemCalls::munlockall() {
  const int r = faulted("munlockall");
  return r < 0 ? r : inner_.munlockall();
}

int FaultySystemCalls::reboot(int) {
  if (at_reboot) at_reboot();
  return faulted("reboot");
}

std::unique_ptr<IoRing> FaultySystemCalls::make_ring(unsigned /*depth*/) {
  if (!rings_) return nullptr;
  return std::make_unique<SteppedRing>(*this, ring_transfers_);
}

void FaultySystemCalls::pause(std::chrono::nanoseconds) {
  ++pauses_;
}

int FaultySystemCalls::limited(const iovec* pieces, int count) const {
  if (limit_ == 0 || count == 0) return count;
  return std::min(count, static_cast<int>(std::max<std::size_t>(1, limit_ / pieces[0].iov_len)));
}

}  // namespace dormouse::test
