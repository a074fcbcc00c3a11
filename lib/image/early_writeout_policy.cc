#include "image/early_writeout_policy.h"

#include <algorithm>

namespace dormouse {
namespace {

std::uint64_t end_of(const ByteRange& range) {
  return to_bytes(range.start) + range.length;
}

}  // namespace

EarlyWriteoutPolicy::EarlyWriteoutPolicy(EarlyWriteout setting, std::uint64_t total_bytes)
    : step_bytes_(setting.off()
                      ? 0
                      : std::max<std::uint64_t>(
                            1, static_cast<std::uint64_t>(static_cast<unsigned __int128>(total_bytes) *
                                                          setting.millionths / EarlyWriteout::kWhole))) {}

void EarlyWriteoutPolicy::wrote(ByteRange range, std::uint64_t produced_bytes) {
  if (step_bytes_ == 0) return;
  produced_bytes_ += produced_bytes;
  add(range);
}

void EarlyWriteoutPolicy::add(ByteRange range) {
  for (std::size_t i = 0; i < count_; ++i) {
    ByteRange& known = ranges_[i];
    if (end_of(known) == to_bytes(range.start)) {
      known.length += range.length;
      return;
    }
    if (end_of(range) == to_bytes(known.start)) {
      known = {.start = range.start, .length = known.length + range.length};
      return;
    }
  }
  if (count_ < kMaxRanges) {
    ranges_[count_++] = range;
    return;
  }
  // Full although writeout was due: widen the last one. Writing out too much is harmless, forgetting some is
  // not.
  ByteRange& last = ranges_[kMaxRanges - 1];
  const std::uint64_t start = std::min(to_bytes(last.start), to_bytes(range.start));
  last = {.start = DeviceOffset{start}, .length = std::max(end_of(last), end_of(range)) - start};
}

bool EarlyWriteoutPolicy::due() const {
  if (step_bytes_ == 0 || count_ == 0) return false;
  return produced_bytes_ / step_bytes_ > steps_taken_ || count_ == kMaxRanges;
}

std::span<const ByteRange> EarlyWriteoutPolicy::take(std::span<ByteRange, kMaxRanges> out) {
  std::copy_n(ranges_.begin(), count_, out.begin());
  const auto taken = out.first(count_);
  steps_taken_ = produced_bytes_ / step_bytes_;
  count_ = 0;
  return taken;
}

}  // namespace dormouse
