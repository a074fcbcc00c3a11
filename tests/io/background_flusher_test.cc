#include "io/background_flusher.h"

#include <gtest/gtest.h>

#include <semaphore>

#include "support/faulty_system_calls.h"

namespace dormouse::test {
namespace {

/// fdatasync() that waits until the test lets it go, so that the order of things is the test's.
class GatedCalls final : public SystemCalls {
 public:
  std::counting_semaphore<> entered{0};
  std::counting_semaphore<> leave{0};
  std::atomic<int> status = 0;
  std::atomic<int> syncs = 0;

  int fdatasync(int) override {
    ++syncs;
    entered.release();
    leave.acquire();
    return status;
  }
  int open(const char*, int, mode_t) override { return -ENOSYS; }
  int close(int) override { return 0; }
  int ioctl(int, unsigned long, std::uintptr_t) override { return -ENOSYS; }
  ssize_t readv(int, const iovec*, int) override { return -ENOSYS; }
  ssize_t writev(int, const iovec*, int) override { return -ENOSYS; }
  ssize_t pread(int, void*, std::size_t, off_t) override { return -ENOSYS; }
  ssize_t pwrite(int, const void*, std::size_t, off_t) override { return -ENOSYS; }
  int sync_file_range(int, off_t, off_t, unsigned) override { return -ENOSYS; }
  int ftruncate(int, off_t) override { return -ENOSYS; }
  int rename(const char*, const char*) override { return -ENOSYS; }
  int unlink(const char*) override { return -ENOSYS; }
  int mlockall(int) override { return -ENOSYS; }
  int munlockall() override { return -ENOSYS; }
  int reboot(int) override { return -ENOSYS; }
  void pause(std::chrono::nanoseconds) override {}
};

TEST(BackgroundFlusher, DoesNothingUnlessPreparedOrAsked) {
  BackgroundFlusher unprepared;
  unprepared.request();
  unprepared.stop();
  EXPECT_EQ(unprepared.settle(), 0);

  GatedCalls calls;
  BackgroundFlusher idle;
  ASSERT_TRUE(idle.prepare(calls, 1));
  EXPECT_EQ(idle.settle(), 0);
  idle.stop();
  EXPECT_EQ(calls.syncs, 0);
}

TEST(BackgroundFlusher, AtMostOneRequestWaits) {
  GatedCalls calls;
  BackgroundFlusher flusher;
  ASSERT_TRUE(flusher.prepare(calls, 1));
  flusher.request();
  calls.entered.acquire();
  for (int i = 0; i < 10; ++i) flusher.request();  // while the first runs
  calls.leave.release(2);
  flusher.stop();
  EXPECT_EQ(calls.syncs, 2);
}

TEST(BackgroundFlusher, SettleDropsTheWaitingRequestAndWaitsForTheRunningOne) {
  GatedCalls calls;
  BackgroundFlusher flusher;
  ASSERT_TRUE(flusher.prepare(calls, 1));
  calls.status = -EIO;
  flusher.request();
  calls.entered.acquire();
  calls.leave.release();
  EXPECT_EQ(flusher.settle(), EIO);
  EXPECT_EQ(flusher.settle(), 0) << "told once";
  flusher.stop();
  EXPECT_EQ(calls.syncs, 1);
}

TEST(BackgroundFlusher, StopsAndStartsAgain) {
  GatedCalls calls;
  calls.leave.release(100);
  BackgroundFlusher flusher;
  ASSERT_TRUE(flusher.prepare(calls, 1));
  for (int round = 1; round <= 5; ++round) {
    flusher.request();
    flusher.stop();
    EXPECT_EQ(calls.syncs, round) << "what was asked for is done before the thread ends";
  }
}

TEST(BackgroundFlusher, TriesAgainWhenInterrupted) {
  FaultySystemCalls calls;
  calls.faults().fail_name("fdatasync", EINTR, 3);
  BackgroundFlusher flusher;
  ASSERT_TRUE(flusher.prepare(calls, -1));
  flusher.request();
  flusher.stop();
  EXPECT_EQ(calls.faults().count("fdatasync"), 4U);
  EXPECT_EQ(flusher.settle(), EBADF) << "the fourth call went through to a descriptor that is none";
}

}  // namespace
}  // namespace dormouse::test
