/// What every RequestQueue must keep.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <mutex>

#include "base/aligned_buffer.h"
#include "base/unique_fd.h"
#include "io/posix_block_device.h"
#include "io/ring_queue.h"
#include "pipeline/threaded_queue.h"
#include "support/allocation_counter.h"
#include "support/faulty_system_calls.h"
#include "support/stepped_ring.h"
#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

constexpr std::size_t kBlock = kMinPageBytes;
constexpr std::size_t kBlocks = 300;
constexpr std::uint64_t kSize = kBlocks * kBlock;

enum class Way { kThreads, kSteppedRing, kKernelRing };

/// A file, and a queue of requests to it: threads, a ring that calls pread and pwrite, or the running
/// kernel's ring.
class Stand {
 public:
  explicit Stand(Way way) : threads_(ThreadedQueue::prepare(3).value()) {
    if (way == Way::kThreads) calls_.refuse_rings();
    SystemCalls& calls = way == Way::kKernelRing ? real_system_calls() : calls_;
    auto opened = PosixBlockDevice::open(directory_.sparse("area", kSize), {.io = IoMode::kDirect}, calls);
    if (!opened) throw std::runtime_error(opened.error().what());
    device_ = std::move(*opened);
    if ((device_->queue() == nullptr) != (way == Way::kThreads)) throw std::runtime_error("no io_uring here");
    threads_.use(*device_);
  }
  BlockDevice& device() { return *device_; }
  RequestQueue& queue() { return device_->queue() == nullptr ? threads_ : *device_->queue(); }
  FaultySystemCalls& calls() { return calls_; }

 private:
  TemporaryDirectory directory_;
  FaultySystemCalls calls_;
  std::unique_ptr<PosixBlockDevice> device_;
  ThreadedQueue threads_;
};

/// Counts how often each tag ended, and keeps the first error.
class Counting final : public RequestQueue::Client {
 public:
  void request_ended(std::uint64_t tag, const Result<void>& how) override {
    ++ended[tag];
    if (how) return;
    const std::lock_guard lock(mutex_);
    ++failed;
    error = how.error();
  }
  std::array<std::atomic<int>, kBlocks> ended{};
  int failed = 0;
  Error error;

 private:
  std::mutex mutex_;
};

class RequestQueueConformance : public ::testing::TestWithParam<Way> {
 protected:
  RequestQueueConformance() : stand_(GetParam()), memory_(AlignedBuffer::allocate(kSize).value()) {}

  std::span<std::byte> block(std::size_t number) { return memory_.span().subspan(number * kBlock, kBlock); }
  void fill() {
    for (std::size_t i = 0; i < kBlocks; ++i) std::ranges::fill(block(i), static_cast<std::byte>(i * 7 + 1));
  }
  static DeviceOffset place(std::size_t number) { return DeviceOffset{number * kBlock}; }

  Stand stand_;
  AlignedBuffer memory_;
  Counting client_;
};

TEST_P(RequestQueueConformance, MovesManyRequestsBothWays) {
  RequestQueue& queue = stand_.queue();
  fill();
  ASSERT_TRUE(queue.start(client_, memory_.span()));
  for (std::size_t i = 0; i < kBlocks; ++i) ASSERT_TRUE(queue.write(i, place(kBlocks - 1 - i), block(i)));
  queue.stop();
  for (std::size_t i = 0; i < kBlocks; ++i) EXPECT_EQ(client_.ended[i], 1) << i;
  std::ranges::fill(memory_.span(), std::byte{0});
  ASSERT_TRUE(queue.start(client_, memory_.span())) << "a queue may be started again";
  for (std::size_t i = 0; i < kBlocks; ++i) ASSERT_TRUE(queue.read(i, place(kBlocks - 1 - i), block(i)));
  queue.stop();
  for (std::size_t i = 0; i < kBlocks; ++i) {
    EXPECT_EQ(client_.ended[i], 2) << i;
    EXPECT_EQ(block(i)[0], static_cast<std::byte>(i * 7 + 1)) << i;
    EXPECT_EQ(block(i)[kBlock - 1], static_cast<std::byte>(i * 7 + 1)) << i;
  }
  EXPECT_EQ(client_.failed, 0);
}

TEST_P(RequestQueueConformance, WhatWasWrittenIsThereForTheDeviceItself) {
  RequestQueue& queue = stand_.queue();
  fill();
  ASSERT_TRUE(queue.start(client_, memory_.span()));
  ASSERT_TRUE(queue.write(0, place(5), block(9)));
  queue.stop();
  ASSERT_TRUE(stand_.device().flush());
  ASSERT_TRUE(stand_.device().read(place(5), block(0)));
  EXPECT_TRUE(std::ranges::equal(block(0), block(9)));
}

TEST_P(RequestQueueConformance, StoppingWhatWasNotStartedDoesNothing) {
  stand_.queue().stop();
  ASSERT_TRUE(stand_.queue().start(client_, memory_.span()));
  stand_.queue().stop();
  stand_.queue().stop();
}

TEST_P(RequestQueueConformance, AllocatesNothing) {
  RequestQueue& queue = stand_.queue();
  fill();
  if (GetParam() == Way::kKernelRing) {  // the others stand on fakes that do
    const AllocationCounter counter;
    ASSERT_TRUE(queue.start(client_, memory_.span()));
    for (std::size_t i = 0; i < kBlocks; ++i) ASSERT_TRUE(queue.write(i, place(i), block(i)));
    queue.stop();
    EXPECT_LE(counter.count(), 1U) << "glibc keeps a little for each thread";
  }
}

TEST_P(RequestQueueConformance, TellsOfAFailureOnceAndOfTheRestAsWell) {
  if (GetParam() == Way::kKernelRing) return;  // nothing on this side of the kernel makes it fail
  RequestQueue& queue = stand_.queue();
  ASSERT_TRUE(queue.start(client_, memory_.span()));
  stand_.calls().faults().fail_name("pwrite", EIO);
  int begun = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    if (queue.write(i, place(i), block(i))) ++begun;
  }
  queue.stop();
  int ended = 0;
  for (const auto& count : client_.ended) ended += count;
  EXPECT_EQ(ended, begun) << "what could not begin is told by its call alone";
  EXPECT_GE(client_.failed, 1);
  EXPECT_EQ(client_.error.code, Errc::kIo);
  EXPECT_EQ(client_.error.operation, "write");
  const auto flushed = stand_.device().flush();
  ASSERT_FALSE(flushed) << "the error of a write stays until it is forgotten";
  EXPECT_EQ(flushed.error().code, Errc::kIo);
}

INSTANTIATE_TEST_SUITE_P(All, RequestQueueConformance,
                         ::testing::Values(Way::kThreads, Way::kSteppedRing, Way::kKernelRing),
                         [](const auto& info) {
                           return info.param == Way::kThreads       ? "Threads"
                                  : info.param == Way::kSteppedRing ? "SteppedRing"
                                                                    : "KernelRing";
                         });

// What a ring leaves to be done.
class RingQueueRemainders : public ::testing::Test {
 protected:
  void write_and_compare() {
    auto memory = AlignedBuffer::allocate(8 * kBlock).value();
    for (std::size_t i = 0; i < memory.size(); ++i) memory.span()[i] = static_cast<std::byte>(i / 512);
    RequestQueue& queue = stand_.queue();
    ASSERT_TRUE(queue.start(client_, memory.span()));
    ASSERT_TRUE(queue.write(3, DeviceOffset{kBlock}, memory.span()));
    queue.stop();
    EXPECT_EQ(client_.ended[3], 1);
    ASSERT_EQ(client_.failed, 0) << client_.error.what();
    auto back = AlignedBuffer::allocate(8 * kBlock).value();
    ASSERT_TRUE(queue.start(client_, back.span()));
    ASSERT_TRUE(queue.read(4, DeviceOffset{kBlock}, back.span()));
    queue.stop();
    ASSERT_EQ(client_.failed, 0) << client_.error.what();
    EXPECT_TRUE(std::ranges::equal(back.span(), memory.span()));
  }

  Stand stand_{Way::kSteppedRing};
  Counting client_;
};

TEST_F(RingQueueRemainders, OfAShortTransferAreMoved) {
  stand_.calls().limit_transfers(3 * kBlock);
  write_and_compare();
}

TEST_F(RingQueueRemainders, OfATornBlockAreMovedWithTheWholeBlock) {
  stand_.calls().limit_transfers(2 * kBlock + 512);
  write_and_compare();
}

TEST_F(RingQueueRemainders, OfAnInterruptionAreMoved) {
  stand_.calls().faults().fail_name("pwrite", EINTR, 3);
  write_and_compare();
}

TEST_F(RingQueueRemainders, OfAFullQueueAreMoved) {
  stand_.calls().faults().fail_name("pwrite", EAGAIN);
  write_and_compare();
}

TEST_F(RingQueueRemainders, OfAReadThatFailsAreTold) {
  auto memory = AlignedBuffer::allocate(kBlock).value();
  RequestQueue& queue = stand_.queue();
  ASSERT_TRUE(queue.start(client_, memory.span()));
  stand_.calls().faults().fail_name("pread", EIO);
  ASSERT_TRUE(queue.read(7, DeviceOffset{2 * kBlock}, memory.span()));
  queue.stop();
  EXPECT_EQ(client_.failed, 1);
  EXPECT_EQ(client_.error.offset, 2 * kBlock);
  EXPECT_EQ(client_.error.operation, "read");
  EXPECT_TRUE(stand_.device().flush()) << "a failed read keeps nobody from writing";
}

TEST(RequestQueue, OfARingThatBreaksTellsItAndStops) {
  const TemporaryDirectory directory;
  FaultySystemCalls calls;
  calls.break_rings_after(3);
  auto device = PosixBlockDevice::open(directory.sparse("area", kSize), {.io = IoMode::kDirect}, calls);
  ASSERT_TRUE(device);
  RequestQueue& queue = *(*device)->queue();
  auto memory = AlignedBuffer::allocate(5 * kBlock).value();
  Counting client;
  ASSERT_TRUE(queue.start(client, memory.span()));
  for (std::size_t i = 0; i < 5; ++i) {
    const auto begun = queue.write(i, DeviceOffset{i * kBlock}, memory.span().subspan(i * kBlock, kBlock));
    ASSERT_EQ(begun.has_value(), i < 3) << i;
    if (!begun) {
      EXPECT_EQ(begun.error().errnum, EBADF);
    }
  }
  queue.stop();
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(client.ended[i], i < 3 ? 1 : 0) << i;
}

/// Refuses all that must not wait, as some block devices do; moves the rest.
class RefusingRing final : public IoRing {
 public:
  explicit RefusingRing(SystemCalls& calls) : ring_(calls) {}
  int register_memory(std::span<std::byte> memory) override { return ring_.register_memory(memory); }
  void forget_memory() override {}
  int begin(const Transfer& transfer, std::uint64_t tag) override {
    if (!transfer.never_wait) return ring_.begin(transfer, tag);
    ++refused;
    Transfer nowhere = transfer;
    nowhere.fd = -1;
    refusing_ = true;
    return ring_.begin(nowhere, tag);
  }
  int knock(std::uint64_t tag) override { return ring_.knock(tag); }
  int wait(Ended& ended) override {
    const int status = ring_.wait(ended);
    if (status == 0 && ended.moved == -EBADF && refusing_) ended.moved = -EOPNOTSUPP;
    return status;
  }
  std::atomic<int> refused = 0;

 private:
  std::atomic<bool> refusing_ = false;
  SteppedRing ring_;
};

/// A block device as far as the queue can see.
class PatientOwner final : public RingQueue::Owner {
 public:
  PatientOwner(BlockDevice& device, int fd) : device_(device), fd_(fd) {}
  BlockDevice& device() override { return device_; }
  [[nodiscard]] int fd() const override { return fd_; }
  [[nodiscard]] bool never_wait() const override { return true; }
  Result<void> check_request(std::string_view, DeviceOffset, std::span<const std::byte>) override {
    return {};
  }
  Error request_error(std::string_view, std::uint64_t, int errnum) override {
    return fail(Errc::kIo, "move").os(errnum).error();
  }

 private:
  BlockDevice& device_;
  int fd_;
};

TEST(RequestQueue, OfADeviceThatCannotPromiseNeverToWaitAsksItNoMore) {
  const TemporaryDirectory directory;
  const std::string path = directory.sparse("area", kSize);
  auto device = PosixBlockDevice::open(path, {.io = IoMode::kDirect});
  ASSERT_TRUE(device);
  const UniqueFd file(::open(path.c_str(), O_RDWR | O_DIRECT | O_CLOEXEC));
  ASSERT_TRUE(file.valid());
  auto made = std::make_unique<RefusingRing>(real_system_calls());
  RefusingRing& ring = *made;
  PatientOwner owner(**device, file.get());
  auto queue = RingQueue::prepare(owner, std::move(made));
  ASSERT_TRUE(queue);
  auto memory = AlignedBuffer::allocate(2 * kBlock).value();
  std::ranges::fill(memory.span(), std::byte{0x5a});
  for (std::size_t round = 0; round < 3; ++round) {
    Counting client;
    ASSERT_TRUE((*queue)->start(client, memory.span()));
    ASSERT_TRUE((*queue)->write(1, DeviceOffset{round * 2 * kBlock}, memory.span()));
    (*queue)->stop();
    EXPECT_EQ(client.ended[1], 1);
    EXPECT_EQ(client.failed, 0) << client.error.what();
  }
  EXPECT_EQ(ring.refused, 1) << "the first only";
  auto back = AlignedBuffer::allocate(6 * kBlock).value();
  ASSERT_TRUE((*device)->read(DeviceOffset{0}, back.span()));
  EXPECT_TRUE(std::ranges::all_of(back.span(), [](std::byte b) { return b == std::byte{0x5a}; }));
}

TEST(RequestQueue, IsNotThereWhereTheKernelGivesNoRing) {
  const TemporaryDirectory directory;
  const std::string path = directory.sparse("area", kSize);
  FaultySystemCalls calls;
  calls.refuse_rings();
  auto device = PosixBlockDevice::open(path, {.io = IoMode::kDirect}, calls);
  ASSERT_TRUE(device);
  EXPECT_EQ((*device)->queue(), nullptr);
  device = PosixBlockDevice::open(path, {.io = IoMode::kBuffered});
  ASSERT_TRUE(device);
  EXPECT_EQ((*device)->queue(), nullptr) << "a ring hands buffered writes to workers of the kernel";
}

}  // namespace
}  // namespace dormouse::test
