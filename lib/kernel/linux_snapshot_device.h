/// SnapshotDevice on the running kernel.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "dormouse/snapshot_device.h"

#include "kernel/snapshot_file.h"

namespace dormouse {

struct SnapshotOpenOptions {
  std::string path = "/dev/snapshot";
  SystemPaths paths = {};        ///< read to explain why hibernation is unavailable
  std::uint32_t page_bytes = 0;  ///< 0: the running kernel's
};

/// Opened for saving. Opening runs notifiers all over the kernel: do it when everything else has been
/// checked. Slots are best allocated by the thread that reads the stream: the kernel guards both with one
/// lock that an ioctl only tries, so another thread has to try again and again while a batch of pages is
/// read.
class LinuxSnapshotDevice final : public SnapshotDevice {
 public:
  /// kImpossible: no such device, or hibernation is switched off (the detail says by what); kBusy: somebody
  /// has it.
  static Result<std::unique_ptr<LinuxSnapshotDevice>> open(SnapshotOpenOptions options = {},
                                                           SystemCalls& calls = real_system_calls());

  [[nodiscard]] std::uint32_t page_bytes() const override { return file_.page_bytes(); }
  /// 0 before image_bytes().
  [[nodiscard]] std::uint64_t total_pages() const override { return total_pages_; }
  Result<std::size_t> read(std::span<std::byte> out) override;

  Result<void> set_swap_area(std::uint64_t device, std::uint64_t header_page) override;
  Result<std::uint64_t> available_swap_bytes() override;
  Result<DeviceOffset> allocate_swap_page() override;
  Result<void> free_swap_pages() override;
  Result<void> set_preferred_image_bytes(std::uint64_t bytes) override;
  Result<void> set_platform_support(bool on) override;
  Result<void> freeze() override;
  /// kUsage while an image is held: the kernel would return success and stay frozen.
  Result<void> unfreeze() override;
  /// A failure also gives back what the kernel had begun (SNAPSHOT_FREE thaws its threads).
  Result<SnapshotState> create_image() override;
  /// kIo where the kernel claims an image but holds none (a wake-up event at the last moment; pm_test).
  Result<std::uint64_t> image_bytes() override;
  Result<void> free_image() override;
  Result<void> power_off() override;
  Result<void> suspend_to_ram() override;

 private:
  explicit LinuxSnapshotDevice(SnapshotFile file) : file_(std::move(file)) {}
  Result<void> check_first_page(std::span<const std::byte> page) const;

  SnapshotFile file_;
  std::uint64_t total_pages_ = 0;
  std::uint64_t pages_read_ = 0;
  bool image_held_ = false;  // what the kernel calls ready; true after a resume, too
  bool platform_ = false;
};

}  // namespace dormouse
