/// A thread whose memory is allocated long before it runs.
///
/// Threads older than the freeze are frozen with the rest of user space, so workers must be created after it;
/// but after it nothing may be allocated. So the stack is allocated, touched and (by the process's memory
/// lock) locked here, and start() only hands it to the kernel.
#pragma once

#include <pthread.h>

#include <cstddef>

#include "dormouse/error.h"

#include "base/aligned_buffer.h"

namespace dormouse {

/// Move-only until started; joined by join() or the destructor. One owner thread.
class PreparedThread {
 public:
  /// Enough for every codec: liblzf keeps its table of a quarter MiB on the stack. The thread sanitizer keeps
  /// 0.9 MiB of its own there.
#if defined(__SANITIZE_THREAD__)
  static constexpr std::size_t kStackBytes = std::size_t{8} << 20;
#else
  static constexpr std::size_t kStackBytes = std::size_t{1} << 20;
#endif

  PreparedThread() = default;
  /// The lowest page of the stack is made inaccessible: running over its end ends the process instead of
  /// writing over what lies below. kNoMemory.
  static Result<PreparedThread> prepare(std::size_t stack_bytes = kStackBytes);

  PreparedThread(PreparedThread&& other) noexcept;
  PreparedThread& operator=(PreparedThread&&) = delete;
  ~PreparedThread() { join(); }

  /// Runs `body(context)` on the thread; `context` must live until join(). May be called again after join().
  /// Requires: prepared, not running.
  Result<void> start(void (*body)(void*), void* context);
  void join();
  [[nodiscard]] bool running() const { return running_; }

 private:
  static void* trampoline(void* self);

  AlignedBuffer stack_;
  pthread_t thread_{};
  void (*body_)(void*) = nullptr;
  void* context_ = nullptr;
  bool running_ = false;
};

}  // namespace dormouse
