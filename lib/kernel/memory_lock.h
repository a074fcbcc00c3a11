/// All of the process kept in memory, now and later.
#pragma once

#include "dormouse/error.h"

#include "base/system_calls.h"

namespace dormouse {

/// Locks every page of the process until it is destroyed, and sets the heap and the stack up so that what
/// little is still allocated or called later (thread control blocks, printing) finds memory that is there.
/// Why: after the snapshot a page fault on a file reads a file system that must not be touched, and one on
/// swap may free a slot that the snapshot still refers to (kernel-facts D.3). Its end unlocks everything,
/// what was locked before (mlock(2)) as well: keys have to be forgotten by then.
class [[nodiscard]] MemoryLock {
 public:
  static constexpr std::size_t kHeapReserveBytes = std::size_t{1} << 20;
  static constexpr std::size_t kStackReserveBytes = std::size_t{256} << 10;

  /// kNoMemory or kIo. The heap's settings stay for the rest of the process.
  static Result<MemoryLock> take(SystemCalls& calls = real_system_calls());

  MemoryLock(MemoryLock&& other) noexcept;
  MemoryLock& operator=(MemoryLock&&) = delete;
  ~MemoryLock();

 private:
  explicit MemoryLock(SystemCalls& calls) : calls_(&calls) {}
  SystemCalls* calls_;
};

}  // namespace dormouse
