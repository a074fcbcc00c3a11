/// System calls that fail when told to.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>

#include "base/system_calls.h"
#include "support/call_faults.h"

namespace dormouse::test {

/// Decorates others. Every call but pause() is counted and recorded under its name ("open", "pwrite", ...).
/// reboot() never goes further, it returns 0.
/// pause() does not wait, it is only counted, so that tests of retries take no time.
class FaultySystemCalls final : public SystemCalls {
 public:
  explicit FaultySystemCalls(SystemCalls& inner = real_system_calls()) : inner_(inner) {}

  [[nodiscard]] CallFaults& faults() { return faults_; }
  [[nodiscard]] std::uint64_t pauses() const { return pauses_; }
  /// How ioctls are called in the record: by default all "ioctl".
  void name_ioctls(std::string_view (*name)(unsigned long request)) { ioctl_name_ = name; }
  /// Called before each call but pause() and those of a ring, by its name.
  std::function<void(std::string_view)> at_call;
  /// Looks at the machine when it would go off or restart.
  std::function<void()> at_reboot;
  /// Transfers move at most this many bytes per call; 0: no limit. Whole pages for vectors.
  void limit_transfers(std::size_t bytes) { limit_ = bytes; }

  int open(const char* path, int flags, mode_t mode) override;
  int close(int fd) override;
  int ioctl(int fd, unsigned long request, std::uintptr_t argument) override;
  ssize_t readv(int fd, const iovec* pieces, int count) override;
  ssize_t writev(int fd, const iovec* pieces, int count) override;
  ssize_t pread(int fd, void* out, std::size_t bytes, off_t offset) override;
  ssize_t pwrite(int fd, const void* data, std::size_t bytes, off_t offset) override;
  int fdatasync(int fd) override;
  int sync_file_range(int fd, off_t offset, off_t bytes, unsigned flags) override;
  int ftruncate(int fd, off_t bytes) override;
  int rename(const char* from, const char* to) override;
  int unlink(const char* path) override;
  int mlockall(int flags) override;
  int munlockall() override;
  int reboot(int command) override;
  /// Its transfers are this object's preads and pwrites.
  std::unique_ptr<IoRing> make_ring(unsigned depth) override;
  /// As where io_uring is forbidden.
  void refuse_rings() { rings_ = false; }
  /// Rings made from now on work for so many transfers only.
  void break_rings_after(std::uint64_t transfers) { ring_transfers_ = transfers; }
  void pause(std::chrono::nanoseconds time) override;

 private:
  int faulted(std::string_view name);
  int limited(const iovec* pieces, int count) const;

  SystemCalls& inner_;
  CallFaults faults_;
  std::atomic<std::uint64_t> pauses_ = 0;
  std::size_t limit_ = 0;
  bool rings_ = true;
  std::uint64_t ring_transfers_ = ~std::uint64_t{0};
  std::string_view (*ioctl_name_)(unsigned long) = nullptr;
};

}  // namespace dormouse::test
