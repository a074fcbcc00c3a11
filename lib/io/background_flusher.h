/// A thread that flushes a file's data when asked and lets nobody wait.
///
/// io_uring could do the same, but an fsync goes to a worker of the kernel's, which keeps the exemption from
/// freezing after the ring is closed, and the thaw then warns. A thread of our own can be joined before the
/// thaw.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>

#include "base/prepared_thread.h"
#include "base/system_calls.h"

namespace dormouse {

/// One owner thread. No call but prepare() allocates.
class BackgroundFlusher {
 public:
  BackgroundFlusher() = default;
  ~BackgroundFlusher() { stop(); }
  BackgroundFlusher(const BackgroundFlusher&) = delete;
  BackgroundFlusher& operator=(const BackgroundFlusher&) = delete;

  /// Allocates the thread's stack. `fd` must stay open until stop().
  Result<void> prepare(SystemCalls& calls, int fd);
  [[nodiscard]] bool prepared() const { return thread_.has_value(); }

  /// Begins a flush, or, while one runs, notes that another is to follow; at most one waits. Starts the
  /// thread when there is none. If that fails nothing happens: an early flush is only a favour.
  void request();

  /// Drops the request that waits, waits for the flush that runs. Returns 0 or the first errno (positive)
  /// that a background flush failed with since the last call: the kernel reports such an error once, so it
  /// must not get lost.
  int settle();

  /// Waits for all that was asked for and ends the thread. request() may start it again.
  void stop();

 private:
  static void run(void* self);
  void loop();

  SystemCalls* calls_ = nullptr;
  int fd_ = -1;
  std::optional<PreparedThread> thread_;
  std::mutex mutex_;
  std::condition_variable changed_;  // notified at every change of what follows
  bool wanted_ = false;              // a flush was asked for and has not begun
  bool flushing_ = false;            // the thread is inside fdatasync
  bool stopping_ = false;
  int errnum_ = 0;  // first failure since the last settle()
};

}  // namespace dormouse
