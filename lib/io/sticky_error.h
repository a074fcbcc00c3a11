/// The first error of several threads, kept until it is forgotten on purpose.
#pragma once

#include <atomic>
#include <mutex>

#include "dormouse/error.h"

namespace dormouse {

/// Threads: any. Allocates nothing; check() costs one load while all is well.
class StickyError {
 public:
  /// Keeps `error` unless there is one already.
  void note(const Error& error) { (void)keep(error); }

  /// note(), and the one that is kept.
  Error keep(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!set_.load(std::memory_order_relaxed)) error_ = error;
    set_.store(true, std::memory_order_release);
    return error_;
  }

  /// Starts anew. What another thread, in a call, meets meanwhile may be forgotten: that call returns it.
  void forget() {
    const std::lock_guard lock(mutex_);
    set_.store(false, std::memory_order_release);
  }

  [[nodiscard]] Result<void> check() const {
    if (!set_.load(std::memory_order_acquire)) return {};
    return std::unexpected(error_);  // does not change while it is set
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> set_ = false;
  Error error_;
};

}  // namespace dormouse
