/// A device that fails, or loses its power, at a chosen call.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "dormouse/block_device.h"

#include "io/sticky_error.h"

namespace dormouse::test {

/// What is left, after a power cut, of the writes that no flush() had covered.
enum class UnflushedWrites : std::uint8_t {
  kKept,  ///< all of them arrived, the interrupted one too
  kLost,  ///< none
  kTorn,  ///< they arrive in order up to one that is cut at a multiple of 512 bytes; which and where: the
          ///< seed
  kReordered,  ///< every 512 bytes of every write arrive or not, each on its own: the seed
};

/// Calls are counted from 0: write, read, flush, start_writeout; or flushes only.
struct FaultPlan {
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  std::uint64_t fail_at_call = kNever;
  int errnum = EIO;
  /// False: one call fails (after a write or flush the contract's sticky error follows, reads go on). True:
  /// every call from there on fails.
  bool fail_for_ever = false;
  /// Only flushes are counted, and fail; all else passes: a disk whose cache takes what the medium does not.
  bool only_flushes = false;

  std::uint64_t cut_at_call = kNever;
  UnflushedWrites unflushed = UnflushedWrites::kReordered;
  std::uint64_t seed = 1;
};

/// Decorates another device. After a power cut the inner device holds what the medium held: look at it, or
/// put a new device on it, as a machine that boots again does; this one only fails. A failed write leaves the
/// medium untouched. Unflushed writes are kept in memory while a cut is planned.
class FaultBlockDevice final : public BlockDevice {
 public:
  explicit FaultBlockDevice(BlockDevice& inner, FaultPlan plan = {}) : inner_(inner), plan_(plan) {}

  Result<void> write(DeviceOffset offset, std::span<const std::byte> data) override;
  Result<void> read(DeviceOffset offset, std::span<std::byte> out) override;
  void start_writeout(std::span<const ByteRange> ranges) override;
  Result<void> flush() override;
  void forget_error() override;
  void quiesce() override;
  [[nodiscard]] std::uint64_t size_bytes() const override { return inner_.size_bytes(); }
  [[nodiscard]] std::string_view name() const override { return inner_.name(); }

  /// The planned failure or cut has happened. A sweep ends when a run went through without it.
  [[nodiscard]] bool fired() const { return fired_; }
  [[nodiscard]] std::uint64_t calls() const { return calls_; }

 private:
  struct Unflushed {
    DeviceOffset offset;
    std::vector<std::byte> before;
    std::vector<std::byte> after;
  };
  enum class Verdict : std::uint8_t { kGoOn, kFail, kCut };
  enum class Call : std::uint8_t { kFlush, kOther };
  Verdict judge(Call call = Call::kOther);
  Error planned_error(std::string_view operation, std::uint64_t offset) const;
  Result<void> remember(DeviceOffset offset, std::span<const std::byte> data);
  void cut_power();
  void put_back();
  /// What the inner device holds where `write` goes.
  std::vector<std::byte> current(const Unflushed& write);

  BlockDevice& inner_;
  FaultPlan plan_;
  std::mutex mutex_;
  std::vector<Unflushed> unflushed_;
  StickyError failed_;
  StickyError background_;
  std::uint64_t calls_ = 0;
  bool fired_ = false;
  bool dead_ = false;  // the power is off, or the failure is for ever
};

}  // namespace dormouse::test
