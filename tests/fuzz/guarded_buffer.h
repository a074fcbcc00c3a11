/// Memory right behind which nothing may be touched, not even by a library that no sanitizer has seen.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <span>

namespace dormouse::test {

/// A page that cannot be touched follows. Throws std::bad_alloc.
class GuardedBuffer {
 public:
  /// Requires: `room` is a multiple of 4096.
  explicit GuardedBuffer(std::size_t room) : room_(room) {
    void* memory = ::mmap(nullptr, room + kGuard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<std::byte*>(memory);
    ::mprotect(memory_ + room, kGuard, PROT_NONE);
  }
  ~GuardedBuffer() { ::munmap(memory_, room_ + kGuard); }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  /// The last `bytes` before the guard.
  [[nodiscard]] std::span<std::byte> last(std::size_t bytes) { return {memory_ + room_ - bytes, bytes}; }
  [[nodiscard]] std::size_t room() const { return room_; }

 private:
  static constexpr std::size_t kGuard = 4096;
  std::size_t room_;
  std::byte* memory_;
};

}  // namespace dormouse::test
