/// A block device or a regular file as storage for a swap area.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dormouse/block_device.h"
#include "dormouse/image_options.h"

#include "base/system_calls.h"
#include "io/background_flusher.h"
#include "io/ring_queue.h"
#include "io/sticky_error.h"

namespace dormouse {

enum class Access : std::uint8_t { kReadOnly, kReadWrite };

struct PosixOpenOptions {
  IoMode io = IoMode::kDirect;
  Access access = Access::kReadWrite;
  /// Claims the object: a block device with O_EXCL, a regular file with flock(2). kBusy if it is taken. Not
  /// for an area that is swapped on: swapon holds the claim.
  bool exclusive = false;
};

/// BlockDevice over a path. Errors name path, byte offset and errno. size_bytes() is the size when it was
/// opened.
///
/// start_writeout(): buffered: sync_file_range(2) of each range; direct: fdatasync(2) on a thread of its own,
/// whose stack was allocated by open() and which is started by the first call, so after the freeze.
///
/// queue(): with direct I/O, where the kernel has io_uring(7) to give.
///
///     auto device = PosixBlockDevice::open("/dev/vda2", {.io = IoMode::kDirect});
///     if (!device) return device.error();
///     if (auto r = (*device)->write(DeviceOffset{4096}, page); !r) return r;
class PosixBlockDevice final : public BlockDevice, private RingQueue::Owner {
 public:
  /// kUsage: neither block device nor regular file, or a file system without direct I/O; kBusy; kIo.
  /// Never opens anything but the two kinds: opening others may have effects.
  static Result<std::unique_ptr<PosixBlockDevice>> open(std::string path, PosixOpenOptions options = {},
                                                        SystemCalls& calls = real_system_calls());

  ~PosixBlockDevice() override;

  Result<void> write(DeviceOffset offset, std::span<const std::byte> data) override;
  Result<void> read(DeviceOffset offset, std::span<std::byte> out) override;
  void start_writeout(std::span<const ByteRange> ranges) override;
  Result<void> flush() override;
  void forget_error() override;
  RequestQueue* queue() override { return queue_.get(); }
  void quiesce() override;
  [[nodiscard]] std::uint64_t size_bytes() const override { return size_bytes_; }
  [[nodiscard]] std::string_view name() const override { return path_; }

  /// st_rdev of a block device; of a regular file st_dev, the device its file system is on.
  [[nodiscard]] std::uint64_t device_number() const { return device_number_; }
  [[nodiscard]] bool is_block_device() const { return is_block_device_; }

 private:
  PosixBlockDevice(std::string path, PosixOpenOptions options, SystemCalls& calls);
  Result<void> open_file();
  Result<void> check_kind();
  Result<void> measure();
  BlockDevice& device() override { return *this; }
  [[nodiscard]] int fd() const override { return file_.fd(); }
  [[nodiscard]] bool never_wait() const override { return is_block_device_; }
  Result<void> check_request(std::string_view operation, DeviceOffset offset,
                             std::span<const std::byte> data) override;
  Error request_error(std::string_view operation, std::uint64_t offset, int errnum) override;
  [[nodiscard]] Error open_error(int errnum) const;
  [[nodiscard]] Error transfer_error(std::string_view operation, std::uint64_t offset, int errnum) const;

  std::string path_;
  PosixOpenOptions options_;
  SystemCalls& calls_;
  OpenFile file_;
  std::uint64_t size_bytes_ = 0;
  std::uint64_t device_number_ = 0;
  bool is_block_device_ = false;
  StickyError failed_;      // what write() and flush() return from now on
  StickyError background_;  // of a writeout begun in the background, until flush() reports it
  BackgroundFlusher flusher_;
  std::unique_ptr<RingQueue> queue_;
};

}  // namespace dormouse
