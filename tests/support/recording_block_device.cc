#include "support/recording_block_device.h"

#include <algorithm>
#include <utility>

namespace dormouse::test {

void RecordingBlockDevice::note(Event event) {
  const std::lock_guard lock(mutex_);
  events_.push_back(std::move(event));
}

Result<void> RecordingBlockDevice::write(DeviceOffset offset, std::span<const std::byte> data) {
  Event event{.call = Call::kWrite, .ranges = {{offset, data.size()}}, .data = {}};
  if (keep_ == KeepData::kYes) event.data.assign(data.begin(), data.end());
  note(std::move(event));
  return inner_.write(offset, data);
}

Result<void> RecordingBlockDevice::read(DeviceOffset offset, std::span<std::byte> out) {
  note({.call = Call::kRead, .ranges = {{offset, out.size()}}, .data = {}});
  return inner_.read(offset, out);
}

void RecordingBlockDevice::start_writeout(std::span<const ByteRange> ranges) {
  note({.call = Call::kStartWriteout, .ranges = {ranges.begin(), ranges.end()}, .data = {}});
  inner_.start_writeout(ranges);
}

Result<void> RecordingBlockDevice::flush() {
  note({.call = Call::kFlush, .ranges = {}, .data = {}});
  return inner_.flush();
}

void RecordingBlockDevice::forget_error() {
  inner_.forget_error();
}

void RecordingBlockDevice::quiesce() {
  note({.call = Call::kQuiesce, .ranges = {}, .data = {}});
  inner_.quiesce();
}

std::size_t RecordingBlockDevice::count(Call call) const {
  return static_cast<std::size_t>(std::ranges::count(events_, call, &Event::call));
}

void PrintTo(const RecordingBlockDevice::Event& event, std::ostream* out) {
  constexpr std::string_view kNames[] = {"write", "read", "start_writeout", "flush", "quiesce"};
  *out << kNames[std::to_underlying(event.call)];
  for (const auto& range : event.ranges) *out << '[' << to_bytes(range.start) << '+' << range.length << ']';
}

}  // namespace dormouse::test
