#include "kernel/memory_lock.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "support/faulty_system_calls.h"

namespace dormouse::test {
namespace {

TEST(MemoryLock, RefusalsAreErrors) {
  FaultySystemCalls calls;
  calls.faults().fail_name("mlockall", EPERM);
  EXPECT_EQ(MemoryLock::take(calls).error().code, Errc::kIo);
  calls.faults().fail_name("mlockall", ENOMEM);
  EXPECT_EQ(MemoryLock::take(calls).error().code, Errc::kNoMemory);
  EXPECT_EQ(calls.faults().count("munlockall"), 0U);
}

TEST(MemoryLock, UnlocksOnce) {
  FaultySystemCalls calls;
  {
    auto lock = MemoryLock::take(calls);
    if (!lock) GTEST_SKIP() << lock.error().what();
    const auto moved = std::move(*lock);
    EXPECT_EQ(calls.faults().count("munlockall"), 0U);
  }
  EXPECT_EQ(calls.faults().count("mlockall"), 1U);
  EXPECT_EQ(calls.faults().count("munlockall"), 1U);
}

}  // namespace
}  // namespace dormouse::test
