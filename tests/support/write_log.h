/// What a medium was asked to take, through all the handles that were open on it, in one list.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "dormouse/block_device.h"

namespace dormouse::test {

struct LoggedCall {
  enum class Kind : std::uint8_t { kWrite, kFlush, kLandmark };

  Kind kind = Kind::kLandmark;
  unsigned handle = 0;               ///< through which the call came; a flush is for its own handle's writes
  std::uint64_t offset = 0;          ///< of a write
  std::vector<std::byte> data = {};  ///< of a write
  bool succeeded = true;             ///< what the caller was told
  bool forgotten = false;            ///< of a flush: the caller was told "done", and the medium did nothing
  std::string_view landmark = {};    ///< a literal

  [[nodiscard]] std::uint64_t end() const { return offset + data.size(); }
};

/// Threads: add() and pass() any; look at calls() when no call is under way.
class WriteLog {
 public:
  void add(LoggedCall call);
  /// Notes that the story has got to a point of which something is to be said.
  void pass(std::string_view landmark) { add({.landmark = landmark}); }
  /// The machine is off: what is still called happens in no real one, and is not noted.
  void close() { closed_ = true; }

  [[nodiscard]] std::uint64_t writes() const { return writes_; }
  [[nodiscard]] const std::vector<LoggedCall>& calls() const { return calls_; }
  [[nodiscard]] std::vector<LoggedCall> take_calls() { return std::move(calls_); }

 private:
  std::mutex mutex_;
  std::vector<LoggedCall> calls_;
  std::atomic<std::uint64_t> writes_ = 0;
  std::atomic<bool> closed_ = false;
};

/// Decorates one handle of the medium. A write that failed is noted, too: it may have arrived all the same.
/// Reads and writeouts promise nothing of a power cut, and are not noted. Threads: as any BlockDevice.
class WriteLogDevice final : public BlockDevice {
 public:
  WriteLogDevice(BlockDevice& inner, WriteLog& log, unsigned handle)
      : inner_(inner), log_(log), handle_(handle) {}

  Result<void> write(DeviceOffset offset, std::span<const std::byte> data) override;
  Result<void> read(DeviceOffset offset, std::span<std::byte> out) override {
    return inner_.read(offset, out);
  }
  void start_writeout(std::span<const ByteRange> ranges) override { inner_.start_writeout(ranges); }
  Result<void> flush() override;
  void forget_error() override { inner_.forget_error(); }
  void quiesce() override { inner_.quiesce(); }
  [[nodiscard]] std::uint64_t size_bytes() const override { return inner_.size_bytes(); }
  [[nodiscard]] std::string_view name() const override { return inner_.name(); }

 private:
  BlockDevice& inner_;
  WriteLog& log_;
  unsigned handle_;
};

}  // namespace dormouse::test
