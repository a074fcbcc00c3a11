#include "io/background_flusher.h"

#include <cerrno>
#include <utility>

namespace dormouse {

Result<void> BackgroundFlusher::prepare(SystemCalls& calls, int fd) {
  auto thread = PreparedThread::prepare();
  if (!thread) return std::unexpected(thread.error());
  calls_ = &calls;
  fd_ = fd;
  thread_.emplace(std::move(*thread));
  return {};
}

void BackgroundFlusher::request() {
  if (!thread_) return;
  {
    const std::lock_guard lock(mutex_);
    wanted_ = true;
    stopping_ = false;
  }
  changed_.notify_all();
  if (!thread_->running() && !thread_->start(&BackgroundFlusher::run, this)) {
    const std::lock_guard lock(mutex_);
    wanted_ = false;
  }
}

int BackgroundFlusher::settle() {
  std::unique_lock lock(mutex_);
  wanted_ = false;
  changed_.wait(lock, [this] { return !flushing_; });
  return std::exchange(errnum_, 0);
}

void BackgroundFlusher::stop() {
  if (!thread_) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_->join();
}

void BackgroundFlusher::run(void* self) {
  static_cast<BackgroundFlusher*>(self)->loop();
}

void BackgroundFlusher::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return wanted_ || stopping_; });
    if (!wanted_) return;  // stopping, and nothing is owed any more
    wanted_ = false;
    flushing_ = true;
    lock.unlock();
    int status = 0;
    do {
      status = calls_->fdatasync(fd_);
    } while (status == -EINTR);
    lock.lock();
    flushing_ = false;
    if (status < 0 && errnum_ == 0) errnum_ = -status;
    changed_.notify_all();
  }
}

}  // namespace dormouse
