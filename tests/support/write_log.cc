#include "support/write_log.h"

#include <utility>

namespace dormouse::test {

void WriteLog::add(LoggedCall call) {
  if (closed_) return;
  const std::lock_guard lock(mutex_);
  if (call.kind == LoggedCall::Kind::kWrite) ++writes_;
  calls_.push_back(std::move(call));
}

Result<void> WriteLogDevice::write(DeviceOffset offset, std::span<const std::byte> data) {
  auto done = inner_.write(offset, data);
  const bool touched = done || done.error().code != Errc::kUsage;
  if (touched && !data.empty()) {
    log_.add({.kind = LoggedCall::Kind::kWrite,
              .handle = handle_,
              .offset = to_bytes(offset),
              .data = {data.begin(), data.end()},
              .succeeded = done.has_value()});
  }
  return done;
}

Result<void> WriteLogDevice::flush() {
  auto done = inner_.flush();
  log_.add({.kind = LoggedCall::Kind::kFlush, .handle = handle_, .succeeded = done.has_value()});
  return done;
}

}  // namespace dormouse::test
