/// Storage in memory, sparse: only blocks that were written cost anything.
#pragma once

#include <cstdint>
#include <string>

#include "dormouse/block_device.h"

namespace dormouse {

/// BlockDevice for tests and benchmarks. Blocks never written read as zeros and cost nothing, whatever the
/// size. Everything written is durable at once. Throws std::bad_alloc where the address space is used up, as
/// a container would.
class MemoryBlockDevice final : public BlockDevice {
 public:
  /// Requires: size_bytes > 0, a multiple of kMinPageBytes.
  explicit MemoryBlockDevice(std::uint64_t size_bytes, std::string name = "memory");
  MemoryBlockDevice(MemoryBlockDevice&& other) noexcept;
  MemoryBlockDevice& operator=(MemoryBlockDevice&&) = delete;
  ~MemoryBlockDevice() override;

  /// A copy that shares nothing with this one; costs what was written.
  [[nodiscard]] MemoryBlockDevice clone() const;

  Result<void> write(DeviceOffset offset, std::span<const std::byte> data) override;
  Result<void> read(DeviceOffset offset, std::span<std::byte> out) override;
  void start_writeout(std::span<const ByteRange>) override {}
  Result<void> flush() override { return {}; }
  void forget_error() override {}
  void quiesce() override {}
  [[nodiscard]] std::uint64_t size_bytes() const override { return size_bytes_; }
  [[nodiscard]] std::string_view name() const override { return name_; }

  /// All of it, to look at.
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_bytes_}; }
  /// A part of it to change past write(): to damage it, say. Requires: within the device; any alignment.
  [[nodiscard]] std::span<std::byte> mutable_bytes(std::uint64_t offset, std::uint64_t length);
  /// Blocks of kMinPageBytes ever written.
  [[nodiscard]] std::uint64_t written_blocks() const;

 private:
  std::uint64_t size_bytes_;
  std::string name_;
  std::byte* data_;     // anonymous memory of size_bytes_, nothing reserved
  std::byte* written_;  // one byte a block, not a bit: neighbours are set by different threads
};

}  // namespace dormouse
