/// A device that writes down what it is asked for, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <ostream>
#include <vector>

#include "dormouse/block_device.h"

namespace dormouse::test {

/// Decorates another device. Threads: as any BlockDevice; look at events() when no call is under way.
class RecordingBlockDevice final : public BlockDevice {
 public:
  enum class Call : std::uint8_t { kWrite, kRead, kStartWriteout, kFlush, kQuiesce };
  struct Event {
    Call call;
    std::vector<ByteRange> ranges;  ///< one for a write or read, any number for a writeout
    std::vector<std::byte> data;    ///< of a write, where data is kept
    friend bool operator==(const Event&, const Event&) = default;
  };
  enum class KeepData : std::uint8_t { kNo, kYes };

  explicit RecordingBlockDevice(BlockDevice& inner, KeepData keep = KeepData::kNo)
      : inner_(inner), keep_(keep) {}

  Result<void> write(DeviceOffset offset, std::span<const std::byte> data) override;
  Result<void> read(DeviceOffset offset, std::span<std::byte> out) override;
  void start_writeout(std::span<const ByteRange> ranges) override;
  Result<void> flush() override;
  void forget_error() override;
  void quiesce() override;
  [[nodiscard]] std::uint64_t size_bytes() const override { return inner_.size_bytes(); }
  [[nodiscard]] std::string_view name() const override { return inner_.name(); }

  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  [[nodiscard]] std::size_t count(Call call) const;
  void forget() { events_.clear(); }

 private:
  void note(Event event);

  BlockDevice& inner_;
  KeepData keep_;
  std::mutex mutex_;
  std::vector<Event> events_;
};

/// "write[4096+8192]", for messages of tests.
void PrintTo(const RecordingBlockDevice::Event& event, std::ostream* out);

}  // namespace dormouse::test
