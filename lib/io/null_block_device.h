/// Storage that is infinitely fast and remembers nothing: the ceiling in benchmarks.
#pragma once

#include <atomic>
#include <cstdint>

#include "dormouse/block_device.h"

namespace dormouse {

/// Checks ranges as any device, counts what is written, reads zeros.
class NullBlockDevice final : public BlockDevice {
 public:
  explicit NullBlockDevice(std::uint64_t size_bytes) : size_bytes_(size_bytes) {}

  Result<void> write(DeviceOffset offset, std::span<const std::byte> data) override;
  Result<void> read(DeviceOffset offset, std::span<std::byte> out) override;
  void start_writeout(std::span<const ByteRange>) override {}
  Result<void> flush() override { return {}; }
  void forget_error() override {}
  void quiesce() override {}
  [[nodiscard]] std::uint64_t size_bytes() const override { return size_bytes_; }
  [[nodiscard]] std::string_view name() const override { return "null"; }

  [[nodiscard]] std::uint64_t written_bytes() const { return written_bytes_; }

 private:
  std::uint64_t size_bytes_;
  std::atomic<std::uint64_t> written_bytes_ = 0;
};

}  // namespace dormouse
