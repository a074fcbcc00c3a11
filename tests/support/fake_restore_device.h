/// The loading side of /dev/snapshot of a machine that does not exist.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "dormouse/snapshot_device.h"
#include "dormouse/units.h"

#include "support/call_faults.h"

namespace dormouse::test {

/// Collects what is loaded. The image is complete when as many pages have come as its first page announces
/// (A.4) or, for streams without such a page, when finish() is called. Enforces the kernel's rules: after a
/// failed write everything fails with EPERM until free_image(); atomic_restore() needs frozen user space, a
/// whole image and finish(), and then "jumps": restored() becomes true, and it returns kIo with errno 0,
/// since a test has to get back: look at the disk `at_jump`, for the machine that wakes up finds it as it is
/// then, and what is done after the fake's return is done by a machine that did not jump; unfreeze() before
/// free_image() leaks().
class FakeRestoreDevice final : public RestoreDevice {
 public:
  explicit FakeRestoreDevice(std::uint32_t page_bytes = kMinPageBytes) : page_bytes_(page_bytes) {}

  Result<void> write(std::span<const std::byte> pages) override;
  Result<void> finish() override;
  Result<void> set_platform_support(bool on) override;
  Result<void> freeze() override;
  Result<void> unfreeze() override;
  Result<void> free_image() override;
  Result<void> atomic_restore() override;

  /// The kernel's answer to the last close(2): what was loaded is freed, user space is thawed.
  void closed();

  std::function<void()> at_jump;

  [[nodiscard]] CallFaults& faults() { return faults_; }
  [[nodiscard]] const std::vector<std::string_view>& calls() const { return faults_.calls(); }

  [[nodiscard]] const std::vector<std::byte>& loaded() const { return loaded_; }
  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] bool restored() const { return restored_; }
  [[nodiscard]] bool frozen() const { return frozen_; }
  [[nodiscard]] bool platform() const { return platform_; }
  [[nodiscard]] bool leaks() const { return leaks_; }

 private:
  [[nodiscard]] bool announces_itself() const;
  [[nodiscard]] bool complete() const;

  std::uint32_t page_bytes_;
  CallFaults faults_;
  std::vector<std::byte> loaded_;
  bool finished_ = false;
  bool broken_ = false;  // a write failed; the loader's position is unknown
  bool restored_ = false;
  bool frozen_ = false;
  bool platform_ = false;
  bool leaks_ = false;
};

}  // namespace dormouse::test
