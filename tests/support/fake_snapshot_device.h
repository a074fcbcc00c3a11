/// /dev/snapshot of a machine that does not exist: the kernel's states and pitfalls without the kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dormouse/snapshot_device.h"

#include "support/call_faults.h"

namespace dormouse::test {

struct FakeMachine {
  std::uint32_t page_bytes = kMinPageBytes;
  std::uint64_t image_pages = 64;      ///< pages in the stream, at least 3
  std::uint64_t swap_device = 0x0803;  ///< st_rdev of the one active area
  std::uint64_t header_page = 0;       ///< where its header lies
  std::uint64_t swap_pages = 1024;     ///< pages of the area, its header included
  /// 0: slots follow one another. Else: runs of 1 to 8 pages in an order made from this seed.
  std::uint64_t fragmentation_seed = 0;
  std::uint64_t used_slots = 0;     ///< taken by others; every so many-th slot, evenly spread
  bool has_platform = true;         ///< the firmware can power off after a snapshot
  bool comes_back_resumed = false;  ///< create_image() says that this is the machine after its resume
  bool stale_create = false;        ///< create_image() says "created" though nothing was saved (A.2)
};

/// Enforces what the kernel does, misuse included: unfreeze() while an image is held succeeds and does
/// nothing, and so on. Errors carry the errno the kernel gives. Threads: as SnapshotDevice; look at it when
/// no call is under way.
class FakeSnapshotDevice final : public SnapshotDevice {
 public:
  explicit FakeSnapshotDevice(FakeMachine machine = {});

  [[nodiscard]] std::uint32_t page_bytes() const override { return machine_.page_bytes; }
  [[nodiscard]] std::uint64_t total_pages() const override { return known_pages_; }
  Result<std::size_t> read(std::span<std::byte> out) override;
  Result<void> set_swap_area(std::uint64_t device, std::uint64_t header_page) override;
  Result<std::uint64_t> available_swap_bytes() override;
  Result<DeviceOffset> allocate_swap_page() override;
  Result<void> free_swap_pages() override;
  Result<void> set_preferred_image_bytes(std::uint64_t bytes) override;
  Result<void> set_platform_support(bool on) override;
  Result<void> freeze() override;
  Result<void> unfreeze() override;
  Result<SnapshotState> create_image() override;
  Result<std::uint64_t> image_bytes() override;
  Result<void> free_image() override;
  Result<void> power_off() override;
  Result<void> suspend_to_ram() override;
  /// The kernel's answer to the last close(2): slots and image are freed, user space is thawed.
  void closed();

  /// Which call fails, how often. Also the record of all calls, by the ioctls' names and "read".
  [[nodiscard]] CallFaults& faults() { return faults_; }
  [[nodiscard]] const std::vector<std::string_view>& calls() const { return faults_.calls(); }

  [[nodiscard]] bool frozen() const { return frozen_; }
  [[nodiscard]] bool image_held() const { return image_held_; }
  [[nodiscard]] bool powered_off() const { return powered_off_; }
  [[nodiscard]] std::uint64_t slots_allocated() const { return allocated_; }
  /// Every slot that was ever handed out, whether given back or not: no other page is the caller's to write.
  [[nodiscard]] std::span<const std::uint64_t> handed_out() const {
    return std::span(slots_).first(most_allocated_);
  }
  [[nodiscard]] std::uint64_t preferred_image_bytes() const { return preferred_image_bytes_; }
  [[nodiscard]] std::uint64_t pages_read() const { return pages_read_; }

  /// Page `index` of the stream of such a machine; the first is a header page as the kernel's (A.4), the
  /// others are zero, text, numbers or noise by turns.
  static void fill_page(const FakeMachine& machine, std::uint64_t index, std::span<std::byte> page);
  /// The whole stream.
  static std::vector<std::byte> stream(const FakeMachine& machine);

 private:
  void lay_out_slots();

  FakeMachine machine_;
  CallFaults faults_;
  std::vector<std::uint64_t> slots_;  // free pages of the area, in the order in which they are handed out
  std::uint64_t allocated_ = 0;
  std::uint64_t most_allocated_ = 0;
  std::uint64_t known_pages_ = 0;
  std::uint64_t pages_read_ = 0;
  std::uint64_t preferred_image_bytes_ = 0;
  bool area_chosen_ = false;
  bool platform_ = false;
  bool frozen_ = false;
  bool image_held_ = false;
  bool image_is_real_ = false;
  bool powered_off_ = false;
};

}  // namespace dormouse::test
