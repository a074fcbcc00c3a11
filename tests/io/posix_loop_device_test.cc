/// The same device on a real block device: a loop device over a file.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/loop.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cstdlib>

#include "base/aligned_buffer.h"
#include "base/unique_fd.h"
#include "io/posix_block_device.h"
#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

constexpr std::size_t kSize = std::size_t{8} << 20;

class LoopDevice {
 public:
  explicit LoopDevice(const std::string& file) : backing_(::open(file.c_str(), O_RDWR | O_CLOEXEC)) {
    const UniqueFd control(::open("/dev/loop-control", O_RDWR | O_CLOEXEC));
    if (!control.valid()) return;
    // Another program may take the free one between the two calls: then ask for the next.
    for (int tries = 0; tries < 10 && path_.empty(); ++tries) {
      const int number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
      if (number < 0) return;
      const auto path = "/dev/loop" + std::to_string(number);
      loop_.reset(::open(path.c_str(), O_RDWR | O_CLOEXEC));
      if (!loop_.valid()) return;
      if (::ioctl(loop_.get(), LOOP_SET_FD, backing_.get()) == 0) path_ = path;
    }
  }
  ~LoopDevice() {
    if (!path_.empty()) ::ioctl(loop_.get(), LOOP_CLR_FD, 0);
  }
  LoopDevice(const LoopDevice&) = delete;
  LoopDevice& operator=(const LoopDevice&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  UniqueFd backing_;
  UniqueFd loop_;
  std::string path_;
};

class PosixLoopDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!loop_.path().empty()) return;
    ASSERT_EQ(std::getenv("CI"), nullptr) << "CI must have loop devices";
    GTEST_SKIP() << "no loop device could be set up (root needed)";
  }
  TemporaryDirectory directory_;
  std::string file_ = directory_.sparse("disk", kSize);
  LoopDevice loop_{file_};
};

TEST_F(PosixLoopDevice, BothKindsOfIoReachTheMedium) {
  auto page = AlignedBuffer::allocate(kMinPageBytes).value();
  const std::vector<ByteRange> ranges = {{DeviceOffset{0}, kMinPageBytes}};
  for (const auto io : {IoMode::kDirect, IoMode::kBuffered}) {
    const std::uint64_t at = io == IoMode::kDirect ? 0 : 4096;
    auto device = PosixBlockDevice::open(loop_.path(), {.io = io});
    ASSERT_TRUE(device) << device.error().what();
    EXPECT_TRUE((*device)->is_block_device());
    EXPECT_EQ((*device)->size_bytes(), kSize);
    EXPECT_EQ((*device)->device_number() >> 8U, 7U) << "the major number of loop devices";
    std::ranges::fill(page.span(), std::byte{'z'});
    ASSERT_TRUE((*device)->write(DeviceOffset{at}, page.span()));
    (*device)->start_writeout(ranges);
    const auto flushed = (*device)->flush();
    ASSERT_TRUE(flushed) << flushed.error().what();
    (*device)->quiesce();
    EXPECT_EQ(read_whole(file_).substr(at, kMinPageBytes), std::string(kMinPageBytes, 'z'));
  }
}

TEST_F(PosixLoopDevice, OnlyOneMayClaimIt) {
  const auto first = PosixBlockDevice::open(loop_.path(), {.exclusive = true});
  ASSERT_TRUE(first) << first.error().what();
  const auto second = PosixBlockDevice::open(loop_.path(), {.exclusive = true});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::kBusy);
  EXPECT_TRUE(PosixBlockDevice::open(loop_.path(), {}));
}

}  // namespace
}  // namespace dormouse::test
