/// A device that only reads, and counts what it is asked for. Allocates nothing, so that a counter of
/// allocations may run beside it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "dormouse/block_device.h"

#include "io/block_range.h"

namespace dormouse::test {

/// Decorates another device, of which it may show only the first `size_bytes`: a truncated one.
class CountingDevice final : public BlockDevice {
 public:
  explicit CountingDevice(BlockDevice& inner) : CountingDevice(inner, inner.size_bytes()) {}
  CountingDevice(BlockDevice& inner, std::uint64_t size_bytes) : inner_(inner), size_bytes_(size_bytes) {}

  Result<void> write(DeviceOffset, std::span<const std::byte>) override {
    ++changes_;
    return fail(Errc::kIo, "write to a device that may only be read");
  }
  Result<void> read(DeviceOffset offset, std::span<std::byte> out) override {
    if (auto r = check_block_range(*this, "read", offset, out.data(), out.size()); !r) return r;
    ++reads_;
    bytes_read_ += out.size();
    return inner_.read(offset, out);
  }
  void start_writeout(std::span<const ByteRange>) override { ++changes_; }
  Result<void> flush() override {
    ++changes_;
    return {};
  }
  void forget_error() override {}
  void quiesce() override {}
  [[nodiscard]] std::uint64_t size_bytes() const override { return size_bytes_; }
  [[nodiscard]] std::string_view name() const override { return inner_.name(); }

  [[nodiscard]] std::uint64_t reads() const { return reads_; }
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }
  /// Calls that change a device, or ask that something be changed for good.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }

 private:
  BlockDevice& inner_;
  std::uint64_t size_bytes_;
  std::atomic<std::uint64_t> reads_ = 0;
  std::atomic<std::uint64_t> bytes_read_ = 0;
  std::atomic<std::uint64_t> changes_ = 0;
};

}  // namespace dormouse::test
