/// A machine that does not exist, around the real cycles: what each part is asked for is written down in one
/// list.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dormouse/resume_cycle.h"
#include "dormouse/suspend_cycle.h"

#include "kernel/slot_allocator.h"
#include "support/bytes.h"
#include "support/cheap_cost.h"
#include "support/fake_restore_device.h"
#include "support/fake_snapshot_device.h"
#include "support/fault_block_device.h"
#include "swap/swap_disk.h"

namespace dormouse::test {

/// What was asked for, in order. A step that repeats the one before is written down once. Threads: any.
class CallLog {
 public:
  void add(std::string_view step) {
    const std::lock_guard lock(mutex_);
    if (steps_.empty() || steps_.back() != step) steps_.emplace_back(step);
  }
  [[nodiscard]] const std::vector<std::string>& steps() const { return steps_; }
  [[nodiscard]] std::size_t position(std::string_view step) const {
    return static_cast<std::size_t>(std::ranges::find(steps_, step) - steps_.begin());
  }
  [[nodiscard]] bool has(std::string_view step) const { return position(step) < steps_.size(); }

 private:
  std::mutex mutex_;
  std::vector<std::string> steps_;
};

/// Writes to the swap header page are "mark" or "clear", by what they carry; others "write".
class LoggedBlockDevice final : public BlockDevice {
 public:
  LoggedBlockDevice(BlockDevice& inner, CallLog& log, std::string prefix, std::uint64_t header_offset)
      : inner_(inner), log_(log), prefix_(std::move(prefix)), header_offset_(header_offset) {}

  Result<void> write(DeviceOffset offset, std::span<const std::byte> data) override {
    const bool header = to_bytes(offset) == header_offset_;
    const bool marked = header && std::memcmp(data.data() + data.size() - 10, "ULSUSPEND", 9) == 0;
    log_.add(prefix_ + (marked ? "mark" : header ? "clear" : "write"));
    return inner_.write(offset, data);
  }
  Result<void> read(DeviceOffset offset, std::span<std::byte> out) override {
    return inner_.read(offset, out);
  }
  void start_writeout(std::span<const ByteRange> ranges) override { inner_.start_writeout(ranges); }
  Result<void> flush() override {
    log_.add(prefix_ + "flush");
    return inner_.flush();
  }
  void forget_error() override { inner_.forget_error(); }
  void quiesce() override { inner_.quiesce(); }
  [[nodiscard]] std::uint64_t size_bytes() const override { return inner_.size_bytes(); }
  [[nodiscard]] std::string_view name() const override { return inner_.name(); }

 private:
  BlockDevice& inner_;
  CallLog& log_;
  std::string prefix_;
  std::uint64_t header_offset_;
};

/// The fake kernel, with the calls that matter for the order written down, and something to do at the
/// snapshot.
class LoggedSnapshotDevice final : public SnapshotDevice {
 public:
  LoggedSnapshotDevice(FakeSnapshotDevice& inner, CallLog& log) : inner_(inner), log_(log) {}

  [[nodiscard]] std::uint32_t page_bytes() const override { return inner_.page_bytes(); }
  [[nodiscard]] std::uint64_t total_pages() const override { return inner_.total_pages(); }
  Result<std::size_t> read(std::span<std::byte> out) override { return inner_.read(out); }
  Result<void> set_swap_area(std::uint64_t device, std::uint64_t page) override {
    return inner_.set_swap_area(device, page);
  }
  Result<std::uint64_t> available_swap_bytes() override { return inner_.available_swap_bytes(); }
  Result<DeviceOffset> allocate_swap_page() override { return inner_.allocate_swap_page(); }
  Result<void> free_swap_pages() override { return note("free slots", inner_.free_swap_pages()); }
  Result<void> set_preferred_image_bytes(std::uint64_t bytes) override {
    return note("image size", inner_.set_preferred_image_bytes(bytes));
  }
  Result<void> set_platform_support(bool on) override {
    return note("platform", inner_.set_platform_support(on));
  }
  Result<void> freeze() override { return note("freeze", inner_.freeze()); }
  Result<void> unfreeze() override { return note("unfreeze", inner_.unfreeze()); }
  Result<SnapshotState> create_image() override {
    log_.add("create image");
    if (at_snapshot) at_snapshot();
    return inner_.create_image();
  }
  Result<std::uint64_t> image_bytes() override { return inner_.image_bytes(); }
  Result<void> free_image() override { return note("free image", inner_.free_image()); }
  Result<void> power_off() override { return note("firmware power off", inner_.power_off()); }
  Result<void> suspend_to_ram() override { return note("suspend to ram", inner_.suspend_to_ram()); }

  std::function<void()> at_snapshot;

 private:
  Result<void> note(std::string_view step, Result<void> result) {
    log_.add(step);
    return result;
  }
  FakeSnapshotDevice& inner_;
  CallLog& log_;
};

/// Does not go off: comes back with an error, as the seam says it must, after `at_end` has looked at the
/// disk.
class FakePower final : public MachinePower {
 public:
  explicit FakePower(CallLog& log) : log_(log) {}
  Result<void> power_off() override { return stay("power off"); }
  Result<void> restart() override { return stay("restart"); }
  std::function<void()> at_end;

 private:
  Result<void> stay(std::string_view step) {
    log_.add(step);
    if (at_end) at_end();
    return fail(Errc::kIo, "end the fake machine").because("it is still on");
  }
  CallLog& log_;
};

class LoggedObserver final : public CycleObserver {
 public:
  explicit LoggedObserver(CallLog& log) : log_(log) {}
  void freezing() override {
    log_.add("[freezing]");
    silent = true;
  }
  void thawed() override {
    log_.add("[thawed]");
    silent = false;
  }
  void step(std::string_view name) override { steps.emplace_back(name); }
  bool reboot_chosen() override { return reboot; }
  bool stop_requested() override { return questions_++ == stop_at_question; }

  bool silent = false;  ///< told of a freeze and not yet of its end
  bool reboot = false;
  std::uint64_t stop_at_question = ~std::uint64_t{0};
  std::vector<std::string> steps;

 private:
  CallLog& log_;
  std::uint64_t questions_ = 0;
};

/// Seals with a passphrase that costs next to nothing.
inline ImageSeal seal_with(std::string_view passphrase) {
  auto seal = ImageSeal::prepare(Cipher::kChaCha20Poly1305).value();
  seal.add_passphrase(bytes_of(passphrase), kCheap).value();
  return seal;
}

struct CyclePlan {
  FakeMachine machine = {};
  FaultPlan device_fault = {};
  FaultPlan area_fault = {};
  std::uint32_t chunk_bytes = 16 * 4096;
  ImageSeal* seal = nullptr;
};

/// One machine with one disk. `device` and `area_device` are two handles of it, each with a fault plan of its
/// own. Call 0 of the area's handle is the read of the header when the area is opened.
class CycleBed {
 public:
  explicit CycleBed(const CyclePlan& plan = {})
      : shape{.last_page = static_cast<std::uint32_t>(plan.machine.swap_pages - 1)},
        machine(plan.machine),
        disk(make_swap_disk(shape)),
        kernel(plan.machine),
        faulty_device(disk, plan.device_fault),
        faulty_area(disk, plan.area_fault),
        device(faulty_device, log, "", 0),
        area_device(faulty_area, log, "area ", 0),
        snapshot(kernel, log),
        power(log),
        observer(log),
        allocator(snapshot),
        area(SwapArea::open(area_device, DeviceOffset{0}).value()),
        seal(plan.seal),
        writer(ImageWriter::prepare(
                   {.codec = {.id = CodecId::kLz4, .level = 1}, .chunk_bytes = plan.chunk_bytes}, 4096, seal)
                   .value()),
        reader(ImageReader::prepare(plan.chunk_bytes, 1, 0,
                                    seal != nullptr ? std::optional(seal->cipher()) : std::nullopt)
                   .value()) {
    kernel.set_swap_area(machine.swap_device, 0).value();
  }

  Result<SuspendOutcome> suspend(const SuspendRequest& request = {.method = ShutdownMethod::kShutdown}) {
    return run_suspend({.snapshot = snapshot,
                        .device = device,
                        .area = area,
                        .allocator = allocator,
                        .writer = writer,
                        .reader = reader,
                        .power = power,
                        .progress = progress,
                        .observer = observer,
                        .seal = seal},
                       request);
  }

  [[nodiscard]] bool header_is_as_before() const {
    return swap_page_of(disk, shape) == make_swap_page(shape);
  }
  [[nodiscard]] bool is_marked() const {
    return std::memcmp(disk.bytes().data() + 4086, "ULSUSPEND", 9) == 0;
  }

  /// What must hold after every suspend that came back, except for the call that itself failed.
  void expect_running_system(std::string_view failed_call = "") const {
    if (failed_call != "SNAPSHOT_UNFREEZE" && failed_call != "SNAPSHOT_FREE") {
      EXPECT_FALSE(kernel.frozen()) << "user space is still frozen";
    }
    if (failed_call != "SNAPSHOT_FREE") {
      EXPECT_FALSE(kernel.image_held()) << "the kernel still holds an image";
    }
    if (failed_call != "SNAPSHOT_FREE_SWAP_PAGES") {
      EXPECT_EQ(kernel.slots_allocated(), 0U) << "slots were not given back";
    }
    EXPECT_FALSE(observer.silent) << "the observer was not told of the thaw";
    EXPECT_TRUE(header_is_as_before()) << "the swap header differs";
  }

  SwapShape shape;
  FakeMachine machine;
  CallLog log;
  MemoryBlockDevice disk;
  FakeSnapshotDevice kernel;
  FaultBlockDevice faulty_device;
  FaultBlockDevice faulty_area;
  LoggedBlockDevice device;
  LoggedBlockDevice area_device;
  LoggedSnapshotDevice snapshot;
  FakePower power;
  LoggedObserver observer;
  SlotAllocator allocator;
  NoProgress progress;
  SwapArea area;
  ImageSeal* seal;
  ImageWriter writer;
  ImageReader reader;
};

/// A disk as it is when the machine has gone off with its image.
inline MemoryBlockDevice hibernated_disk(const FakeMachine& machine = {}, const ImageIdentity& identity = {},
                                         ImageSeal* seal = nullptr) {
  CycleBed bed({.machine = machine, .seal = seal});
  std::unique_ptr<MemoryBlockDevice> left;
  bed.power.at_end = [&] { left = std::make_unique<MemoryBlockDevice>(bed.disk.clone()); };
  (void)bed.suspend({.method = ShutdownMethod::kShutdown, .identity = identity});
  if (!left) throw std::runtime_error("the machine never got so far");
  return std::move(*left);
}

}  // namespace dormouse::test
