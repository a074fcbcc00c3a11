#include "kernel/memory_lock.h"

#include <malloc.h>
#include <sys/mman.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace dormouse {
namespace {

/// Keeps what is freed, takes nothing by mmap, and lets all threads share the one heap, so that a small
/// allocation after the freeze is served from memory that is there.
bool reserve_heap() {
  ::mallopt(M_TRIM_THRESHOLD, INT_MAX);
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_ARENA_MAX, 1);
  void* reserve = std::malloc(MemoryLock::kHeapReserveBytes);
  if (reserve == nullptr) return false;
  std::memset(reserve, 0x5a, MemoryLock::kHeapReserveBytes);
  // Without this the compiler may drop the pair of calls.
  asm volatile("" : : "r"(reserve) : "memory");
  std::free(reserve);
  return true;
}

/// Locked memory grows at the first touch only, so the stack is touched as deep as it may get.
[[gnu::noinline]] void reserve_stack() {
  volatile char deep[MemoryLock::kStackReserveBytes];
  for (std::size_t i = 0; i < sizeof deep; i += 4096) deep[i] = 1;
}

}  // namespace

Result<MemoryLock> MemoryLock::take(SystemCalls& calls) {
  reserve_stack();
  if (!reserve_heap()) {
    return fail(Errc::kNoMemory, "reserve heap").because("{} bytes were asked for", kHeapReserveBytes);
  }
  if (const int r = calls.mlockall(MCL_CURRENT | MCL_FUTURE); r < 0) {
    const auto code = r == -ENOMEM || r == -EAGAIN ? Errc::kNoMemory : Errc::kIo;
    return fail(code, "lock memory")
        .os(-r)
        .because(
            "root may lock all, others are bound by a limit: run it as root, or raise the limit (ulimit -l)");
  }
  return MemoryLock(calls);
}

MemoryLock::MemoryLock(MemoryLock&& other) noexcept : calls_(std::exchange(other.calls_, nullptr)) {}

MemoryLock::~MemoryLock() {
  if (calls_ != nullptr) calls_->munlockall();
}

}  // namespace dormouse
