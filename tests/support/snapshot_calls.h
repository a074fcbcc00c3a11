/// /dev/snapshot at the height of system calls, over the fakes: so LinuxSnapshotDevice meets the same rules.
#pragma once

#include <cerrno>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string_view>

#include "base/system_calls.h"
#include "support/fake_restore_device.h"
#include "support/fake_snapshot_device.h"

namespace dormouse::test {

/// "/dev/snapshot" of a machine that does not exist, one descriptor of it at a time; reads and writes move
/// one page per piece, as the kernel's do, and closing it frees and thaws. Everything else goes to the real
/// system, but for what would change it or take long: memory is not locked, nothing waits for a disk or a
/// clock, and the machine does not go off.
class SnapshotCalls final : public SystemCalls {
 public:
  explicit SnapshotCalls(FakeMachine machine = {}, SystemCalls& others = real_system_calls())
      : others_(others), saving_(machine), restoring_(machine.page_bytes) {}

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

  /// What the kernel does with the size that PREF_IMAGE_SIZE gives, beside heeding it: it is the system's.
  std::function<void(std::uint64_t bytes)> on_preferred_size;

  int open(const char* path, int flags, mode_t mode) override;
  int close(int fd) override;
  int ioctl(int fd, unsigned long request, std::uintptr_t argument) override;
  ssize_t readv(int fd, const iovec* pieces, int count) override;
  ssize_t writev(int fd, const iovec* pieces, int count) override;
  ssize_t pread(int fd, void* out, std::size_t bytes, off_t offset) override;
  /// A file that was opened to be written anew changes here and not at open(): so do the kernel's.
  ssize_t pwrite(int fd, const void* data, std::size_t bytes, off_t offset) override;
  int fdatasync(int) override { return 0; }
  int sync_file_range(int fd, off_t offset, off_t bytes, unsigned flags) override {
    return others_.sync_file_range(fd, offset, bytes, flags);
  }
  int ftruncate(int fd, off_t bytes) override { return others_.ftruncate(fd, bytes); }
  int rename(const char* from, const char* to) override { return others_.rename(from, to); }
  int unlink(const char* path) override { return others_.unlink(path); }
  int mlockall(int) override { return 0; }
  int munlockall() override { return 0; }
  int reboot(int) override { return 0; }
  void pause(std::chrono::nanoseconds) override {}

 private:
  int save_ioctl(unsigned long request, std::uintptr_t argument);
  int restore_ioctl(unsigned long request, std::uintptr_t argument);

  SystemCalls& others_;
  FakeSnapshotDevice saving_;
  FakeRestoreDevice restoring_;
  int open_flags_ = 0;
  bool open_ = false;
  std::set<int> written_anew_;
  int transfers_ = 0;
  int longest_ = 0;
};

}  // namespace dormouse::test
