#include "console/stall_watch.h"

#include <algorithm>
#include <chrono>

namespace dormouse {
namespace {

using std::chrono_literals::operator""s;

/// It formats one line and writes it.
constexpr std::size_t kStackBytes = std::size_t{256} * 1024;
constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

}  // namespace

Result<void> StallWatch::prepare() {
  auto thread = PreparedThread::prepare(std::max(kStackBytes, PreparedThread::kStackBytes / 4));
  if (!thread) return std::unexpected(thread.error());
  thread_.emplace(std::move(*thread));
  return {};
}

void StallWatch::step(std::string_view name) {
  const std::lock_guard lock(mutex_);
  step_ = name;
  done_bytes_ = 0;
  since_ns_ = clock_.now_ns();
  next_ns_ = kFirstNs;
}

void StallWatch::moved(std::uint64_t done_bytes) {
  const std::lock_guard lock(mutex_);
  if (done_bytes == done_bytes_) return;
  done_bytes_ = done_bytes;
  since_ns_ = clock_.now_ns();
  next_ns_ = kFirstNs;
}

void StallWatch::start() {
  if (!thread_ || thread_->running()) return;
  stopping_ = false;
  (void)thread_->start(&StallWatch::run, this);
}

void StallWatch::stop() {
  if (!thread_ || !thread_->running()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_->join();
}

void StallWatch::look() {
  InlineText<32> step;
  std::uint64_t still_ns = 0;
  std::uint64_t done_bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    still_ns = clock_.now_ns() - since_ns_;
    if (step_.empty() || still_ns < next_ns_) return;
    next_ns_ *= 3;
    step.format("{}", step_);
    done_bytes = done_bytes_;
  }
  out_.print(
      "{}: no progress for {} s in step \"{}\" ({:.1f} MB done): the device or the kernel does not answer; "
      "the "
      "kernel log may say why\n",
      tool_, still_ns / kNsPerSecond, step.view(), static_cast<double>(done_bytes) / 1e6);
}

void StallWatch::run(void* self) {
  auto& watch = *static_cast<StallWatch*>(self);
  for (;;) {
    {
      std::unique_lock lock(watch.mutex_);
      if (watch.changed_.wait_for(lock, 1s, [&] { return watch.stopping_; })) return;
    }
    watch.look();
  }
}

}  // namespace dormouse
