#include "kernel/linux_restore_device.h"

#include <fcntl.h>
#include <gmock/gmock.h>

#include "base/aligned_buffer.h"
#include "support/faulty_system_calls.h"
#include "support/snapshot_calls.h"

namespace dormouse::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LinuxRestoreDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = LinuxRestoreDevice::open({.page_bytes = 4096}, calls_);
    ASSERT_TRUE(opened);
    device_ = std::move(*opened);
  }
  std::span<const std::byte> pages(std::size_t first, std::size_t count) {
    return std::span<const std::byte>(stream_).subspan(first * 4096, count * 4096);
  }

  FakeMachine machine_{.image_pages = 1500};
  std::vector<std::byte> stream_ = FakeSnapshotDevice::stream(machine_);
  SnapshotCalls kernel_{machine_};
  FaultySystemCalls calls_{kernel_};
  std::unique_ptr<LinuxRestoreDevice> device_;
};

TEST_F(LinuxRestoreDeviceTest, LoadsFinishesAndJumps) {
  EXPECT_EQ(kernel_.open_flags() & O_ACCMODE, O_WRONLY);
  calls_.faults().fail_name("writev", EINTR, 1);
  ASSERT_TRUE(device_->write(pages(0, 1200)));
  ASSERT_TRUE(device_->write(pages(1200, 300)));
  EXPECT_EQ(kernel_.transfers(), 3);
  EXPECT_FALSE(kernel_.restoring().finished());
  ASSERT_TRUE(device_->finish());
  EXPECT_TRUE(kernel_.restoring().finished());
  EXPECT_TRUE(kernel_.restoring().loaded() == stream_);
  ASSERT_TRUE(device_->set_platform_support(true));
  ASSERT_TRUE(device_->freeze());
  EXPECT_THAT(device_->atomic_restore().error().what(), HasSubstr("returned without jumping"));
  EXPECT_TRUE(kernel_.restoring().restored());
}

TEST_F(LinuxRestoreDeviceTest, TooFewPagesAreFoundAtTheEnd) {
  ASSERT_TRUE(device_->write(pages(0, 1499)));
  const auto r = device_->finish();
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, Errc::kCorrupt);
  EXPECT_EQ(r.error().offset, 1499U * 4096);
}

TEST_F(LinuxRestoreDeviceTest, TooManyPagesAreRefused) {
  ASSERT_TRUE(device_->write(pages(0, 1500)));
  EXPECT_EQ(device_->write(pages(0, 1)).error().code, Errc::kCorrupt);
}

TEST_F(LinuxRestoreDeviceTest, JumpingTooEarlyIsExplained) {
  ASSERT_TRUE(device_->freeze());
  EXPECT_THAT(device_->atomic_restore().error().what(), HasSubstr("does not take the image for complete"));
}

TEST_F(LinuxRestoreDeviceTest, WriteErrorsAreExplained) {
  const std::vector<std::tuple<int, Errc, std::string>> cases = {
      {EPERM, Errc::kIo, "Image mismatch"},
      {EFAULT, Errc::kIo, "does not have"},
      {ENOMEM, Errc::kNoMemory, "does not fit beside"}};
  ASSERT_TRUE(device_->write(pages(0, 2)));
  for (const auto& [errnum, code, words] : cases) {
    calls_.faults().fail_name("writev", errnum);
    const auto r = device_->write(pages(2, 1));
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().code, code);
    EXPECT_EQ(r.error().offset, 2U * 4096);
    EXPECT_THAT(r.error().what(), HasSubstr(words));
  }
  EXPECT_EQ(device_->write(pages(2, 1).first(7)).error().code, Errc::kUsage);
}

TEST_F(LinuxRestoreDeviceTest, GivesMemoryBackBeforeItThawsAndCloses) {
  ASSERT_TRUE(device_->freeze());
  ASSERT_TRUE(device_->write(pages(0, 1)));
  EXPECT_EQ(device_->unfreeze().error().code, Errc::kUsage);
  device_.reset();
  EXPECT_FALSE(kernel_.restoring().leaks());
  EXPECT_FALSE(kernel_.restoring().frozen());
  EXPECT_FALSE(kernel_.is_open());
  EXPECT_THAT(kernel_.restoring().calls(),
              ElementsAre("SNAPSHOT_FREEZE", "write", "SNAPSHOT_FREE", "SNAPSHOT_UNFREEZE"));
}

TEST_F(LinuxRestoreDeviceTest, StartsAgainAfterAFailure) {
  kernel_.restoring().faults().fail_name("write", EIO);
  EXPECT_FALSE(device_->write(pages(0, 4)));
  EXPECT_FALSE(device_->write(pages(0, 4))) << "the loader is out of step";
  ASSERT_TRUE(device_->free_image());
  ASSERT_TRUE(device_->write(pages(0, 1500)));
  ASSERT_TRUE(device_->finish());
}

}  // namespace
}  // namespace dormouse::test
