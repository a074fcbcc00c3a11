/// RestoreDevice on the running kernel.
#pragma once

#include <memory>

#include "dormouse/snapshot_device.h"

#include "base/aligned_buffer.h"
#include "kernel/linux_snapshot_device.h"

namespace dormouse {

/// Opened for restoring. The destructor gives the loaded memory back before it thaws: in the other order the
/// kernel forgets which pages it had and leaks them.
class LinuxRestoreDevice final : public RestoreDevice {
 public:
  static Result<std::unique_ptr<LinuxRestoreDevice>> open(SnapshotOpenOptions options = {},
                                                          SystemCalls& calls = real_system_calls());

  LinuxRestoreDevice(const LinuxRestoreDevice&) = delete;
  LinuxRestoreDevice& operator=(const LinuxRestoreDevice&) = delete;
  ~LinuxRestoreDevice() override;

  Result<void> write(std::span<const std::byte> pages) override;
  /// One more whole page, which the kernel must decline: some kernels fill trailing zero pages only then.
  Result<void> finish() override;
  Result<void> set_platform_support(bool on) override;
  Result<void> freeze() override;
  Result<void> unfreeze() override;
  Result<void> free_image() override;
  Result<void> atomic_restore() override;

 private:
  LinuxRestoreDevice(SnapshotFile file, AlignedBuffer spare)
      : file_(std::move(file)), spare_page_(std::move(spare)) {}

  SnapshotFile file_;
  AlignedBuffer spare_page_;
  std::uint64_t written_bytes_ = 0;
  bool loaded_ = false;  // the kernel holds pages of ours
  bool frozen_ = false;
};

}  // namespace dormouse
