/// /dev/snapshot at the height of system calls, over the fakes: so LinuxSnapshotDevice meets the same rules.
#pragma once

#include <cerrno>
#include <cstdint>
#include <optional>

#include "base/system_calls.h"
#include "support/fake_restore_device.h"
#include "support/fake_snapshot_device.h"

namespace dormouse::test {

/// One descriptor, number 100, of the device at any path. Reads and writes move one page per piece, as the
/// kernel's do.
class SnapshotCalls final : public SystemCalls {
 public:
  explicit SnapshotCalls(FakeMachine machine = {}) : saving_(machine), restoring_(machine.page_bytes) {}

  [[nodiscard]] FakeSnapshotDevice& saving() { return saving_; }
  [[nodiscard]] FakeRestoreDevice& restoring() { return restoring_; }
  [[nodiscard]] int open_flags() const { return open_flags_; }
  [[nodiscard]] bool is_open() const { return open_; }
  /// readv and writev calls so far, and the most pieces one had.
  [[nodiscard]] int transfers() const { return transfers_; }
  [[nodiscard]] int longest_transfer() const { return longest_; }
  /// Bytes GET_IMAGE_SIZE gives instead of the truth; the int CREATE_IMAGE gives; the slot ALLOC gives.
  std::optional<std::int64_t> image_size_lie;
  std::optional<int> create_lie;
  std::optional<std::int64_t> slot_lie;

  int open(const char* path, int flags, mode_t mode) override;
  int close(int fd) override;
  int ioctl(int fd, unsigned long request, std::uintptr_t argument) override;
  ssize_t readv(int fd, const iovec* pieces, int count) override;
  ssize_t writev(int fd, const iovec* pieces, int count) override;
  ssize_t pread(int, void*, std::size_t, off_t) override { return -ESPIPE; }
  ssize_t pwrite(int, const void*, std::size_t, off_t) override { return -ESPIPE; }
  int fdatasync(int) override { return -EINVAL; }
  int sync_file_range(int, off_t, off_t, unsigned) override { return -ESPIPE; }
  int ftruncate(int, off_t) override { return -EINVAL; }
  int rename(const char*, const char*) override { return -ENOENT; }
  int unlink(const char*) override { return -ENOENT; }
  int mlockall(int) override { return 0; }
  int munlockall() override { return 0; }
  int reboot(int) override { return 0; }
  void pause(std::chrono::nanoseconds) override {}

 private:
  int save_ioctl(unsigned long request, std::uintptr_t argument);
  int restore_ioctl(unsigned long request, std::uintptr_t argument);

  FakeSnapshotDevice saving_;
  FakeRestoreDevice restoring_;
  int open_flags_ = 0;
  bool open_ = false;
  int transfers_ = 0;
  int longest_ = 0;
};

}  // namespace dormouse::test
