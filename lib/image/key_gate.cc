#include "dormouse/key_gate.h"

#include "image/chunk_memory.h"

namespace dormouse {

bool KeyGate::open() {
  const std::lock_guard lock(mutex_);
  if (opened_at_ns_ || refusal_) return false;
  opened_at_ns_ = now_ns();
  changed_.notify_all();
  return true;
}

bool KeyGate::refuse(const Error& error) {
  const std::lock_guard lock(mutex_);
  if (opened_at_ns_ || refusal_) return false;
  refusal_ = error;
  changed_.notify_all();
  return true;
}

Result<void> KeyGate::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return opened_at_ns_ || refusal_; });
  if (refusal_) return std::unexpected(*refusal_);
  return {};
}

bool KeyGate::decided() const {
  const std::lock_guard lock(mutex_);
  return opened_at_ns_ || refusal_;
}

std::optional<std::uint64_t> KeyGate::opened_at_ns() const {
  const std::lock_guard lock(mutex_);
  return opened_at_ns_;
}

}  // namespace dormouse
