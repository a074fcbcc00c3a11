#include "support/fault_block_device.h"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <utility>

#include "base/aligned_buffer.h"
#include "io/block_range.h"

namespace dormouse::test {
namespace {

/// What a disk promises to write whole or not at all.
constexpr std::size_t kSectorBytes = 512;

/// Writes from memory of any alignment.
void write_through(BlockDevice& device, DeviceOffset offset, std::span<const std::byte> data) {
  auto buffer = AlignedBuffer::allocate(data.size());
  if (!buffer) std::abort();
  std::ranges::copy(data, buffer->data());
  if (!device.write(offset, buffer->span())) std::abort();  // the device below a fault device does not fail
}

}  // namespace

FaultBlockDevice::Verdict FaultBlockDevice::judge(Call call) {
  if (plan_.only_flushes && call != Call::kFlush) return Verdict::kGoOn;
  const auto number = calls_++;
  if (dead_) return Verdict::kFail;
  if (number == plan_.cut_at_call) {
    fired_ = true;
    dead_ = true;
    return Verdict::kCut;
  }
  if (number == plan_.fail_at_call) {
    fired_ = true;
    dead_ = plan_.fail_for_ever;
    return Verdict::kFail;
  }
  return Verdict::kGoOn;
}

Error FaultBlockDevice::planned_error(std::string_view operation, std::uint64_t offset) const {
  const bool cut = plan_.cut_at_call != FaultPlan::kNever && calls_ > plan_.cut_at_call;
  const auto code = plan_.errnum == ENOSPC ? Errc::kNoSpace : Errc::kIo;
  return fail(code, operation)
      .os(plan_.errnum)
      .on(name())
      .at(offset)
      .because("{}", cut ? "the power was cut" : "injected")
      .error();
}

Result<void> FaultBlockDevice::write(DeviceOffset offset, std::span<const std::byte> data) {
  if (auto r = check_block_range(*this, "write", offset, data.data(), data.size()); !r) return r;
  const std::lock_guard lock(mutex_);
  const auto verdict = judge();
  const auto broken = failed_.check();
  if (broken && verdict != Verdict::kFail) {
    if (auto r = remember(offset, data); !r) return r;
  }
  if (verdict == Verdict::kCut) cut_power();
  if (!broken) return broken;
  if (verdict != Verdict::kGoOn)
    return std::unexpected(failed_.keep(planned_error("write", to_bytes(offset))));
  return inner_.write(offset, data);
}

Result<void> FaultBlockDevice::read(DeviceOffset offset, std::span<std::byte> out) {
  if (auto r = check_block_range(*this, "read", offset, out.data(), out.size()); !r) return r;
  const std::lock_guard lock(mutex_);
  const auto verdict = judge();
  if (verdict == Verdict::kCut) cut_power();
  if (verdict != Verdict::kGoOn) return std::unexpected(planned_error("read", to_bytes(offset)));
  return inner_.read(offset, out);
}

void FaultBlockDevice::start_writeout(std::span<const ByteRange> ranges) {
  const std::lock_guard lock(mutex_);
  const auto verdict = judge();
  if (verdict == Verdict::kCut) cut_power();
  if (verdict == Verdict::kFail && failed_.check())
    background_.note(planned_error("start writeout", Error::kNoOffset));
  if (verdict == Verdict::kGoOn) inner_.start_writeout(ranges);
}

Result<void> FaultBlockDevice::flush() {
  const std::lock_guard lock(mutex_);
  const auto verdict = judge(Call::kFlush);
  if (verdict == Verdict::kCut) cut_power();
  if (auto r = failed_.check(); !r) return r;
  if (auto r = background_.check(); !r) return std::unexpected(failed_.keep(r.error()));
  if (verdict != Verdict::kGoOn)
    return std::unexpected(failed_.keep(planned_error("flush", Error::kNoOffset)));
  if (auto r = inner_.flush(); !r) return r;
  unflushed_.clear();
  return {};
}

void FaultBlockDevice::forget_error() {
  const std::lock_guard lock(mutex_);
  failed_.forget();
  background_.forget();
  inner_.forget_error();
}

void FaultBlockDevice::quiesce() {
  inner_.quiesce();
}

Result<void> FaultBlockDevice::remember(DeviceOffset offset, std::span<const std::byte> data) {
  if (plan_.cut_at_call == FaultPlan::kNever || data.empty()) return {};
  auto before = AlignedBuffer::allocate(data.size());
  if (!before) return std::unexpected(before.error());
  if (auto r = inner_.read(offset, before->span()); !r) return r;
  unflushed_.push_back({.offset = offset,
                        .before = {before->data(), before->data() + before->size()},
                        .after = {data.begin(), data.end()}});
  return {};
}

void FaultBlockDevice::put_back() {
  for (auto write = unflushed_.rbegin(); write != unflushed_.rend(); ++write) {
    write_through(inner_, write->offset, write->before);
  }
}

void FaultBlockDevice::cut_power() {
  if (unflushed_.empty()) return;
  std::mt19937_64 random(plan_.seed ^ (plan_.cut_at_call * 0x9e3779b97f4a7c15U));
  put_back();
  const auto all = unflushed_.size();
  std::size_t whole = all;  // so many writes arrive in full
  if (plan_.unflushed == UnflushedWrites::kLost || plan_.unflushed == UnflushedWrites::kReordered) whole = 0;
  if (plan_.unflushed == UnflushedWrites::kTorn) whole = random() % all;
  for (std::size_t i = 0; i < whole; ++i) write_through(inner_, unflushed_[i].offset, unflushed_[i].after);

  if (plan_.unflushed == UnflushedWrites::kTorn) {
    auto& torn = unflushed_[whole];
    const auto sectors = torn.after.size() / kSectorBytes;
    const auto arrived = static_cast<std::ptrdiff_t>(random() % (sectors + 1) * kSectorBytes);
    auto now = current(torn);
    std::copy_n(torn.after.begin(), arrived, now.begin());
    write_through(inner_, torn.offset, now);
  }
  if (plan_.unflushed == UnflushedWrites::kReordered) {
    for (auto& write : unflushed_) {
      auto now = current(write);
      for (std::size_t at = 0; at < now.size(); at += kSectorBytes) {
        if (random() % 2 == 0)
          std::copy_n(write.after.begin() + static_cast<std::ptrdiff_t>(at), kSectorBytes,
                      now.begin() + static_cast<std::ptrdiff_t>(at));
      }
      write_through(inner_, write.offset, now);
    }
  }
  unflushed_.clear();
}

std::vector<std::byte> FaultBlockDevice::current(const Unflushed& write) {
  auto buffer = AlignedBuffer::allocate(write.after.size());
  if (!buffer || !inner_.read(write.offset, buffer->span())) std::abort();
  return {buffer->data(), buffer->data() + buffer->size()};
}

}  // namespace dormouse::test
