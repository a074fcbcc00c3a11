/// The fakes keep the kernel's rules, so that tests built on them mean something.
#include <gmock/gmock.h>

#include "support/fake_restore_device.h"
#include "support/fake_snapshot_device.h"

namespace dormouse::test {
namespace {

using ::testing::ElementsAre;

TEST(FakeSnapshotDevice, ThawsOnlyWithoutAnImage) {
  FakeSnapshotDevice device;
  ASSERT_TRUE(device.freeze());
  ASSERT_TRUE(device.create_image());
  EXPECT_TRUE(device.unfreeze()) << "success, and nothing done";
  EXPECT_TRUE(device.frozen());
  ASSERT_TRUE(device.free_image());
  ASSERT_TRUE(device.unfreeze());
  EXPECT_FALSE(device.frozen());
  EXPECT_THAT(device.calls(), ElementsAre("SNAPSHOT_FREEZE", "SNAPSHOT_CREATE_IMAGE", "SNAPSHOT_UNFREEZE",
                                          "SNAPSHOT_FREE", "SNAPSHOT_UNFREEZE"));
}

TEST(FakeSnapshotDevice, RefusesWhatTheKernelRefuses) {
  FakeSnapshotDevice device;
  std::array<std::byte, 4096> page{};
  EXPECT_EQ(device.read(page).error().errnum, ENODATA);
  EXPECT_EQ(device.create_image().error().errnum, EPERM) << "not frozen";
  EXPECT_EQ(device.image_bytes().error().errnum, ENODATA);
  EXPECT_EQ(device.suspend_to_ram().error().errnum, EPERM);
  ASSERT_TRUE(device.freeze());
  ASSERT_TRUE(device.create_image());
  EXPECT_EQ(device.create_image().error().errnum, EPERM) << "already held";
  ASSERT_TRUE(device.set_swap_area(0x0803, 0));
  ASSERT_TRUE(device.allocate_swap_page());
  EXPECT_EQ(device.set_swap_area(0x0803, 0).error().errnum, EPERM) << "slots are allocated";
}

TEST(FakeSnapshotDevice, FailsByNumberAndByName) {
  FakeSnapshotDevice device;
  device.faults().fail_call(1, EIO);
  device.faults().fail_name("SNAPSHOT_FREE", ENOMEM);
  EXPECT_TRUE(device.freeze());
  EXPECT_FALSE(device.faults().fired());
  EXPECT_EQ(device.freeze().error().errnum, EIO);
  EXPECT_TRUE(device.faults().fired());
  EXPECT_EQ(device.free_image().error().code, Errc::kNoMemory);
  EXPECT_TRUE(device.free_image());
}

TEST(FakeRestoreDevice, JumpsOnlyIntoWhatIsWholeAndFinished) {
  const FakeMachine machine{.image_pages = 5};
  const auto stream = FakeSnapshotDevice::stream(machine);
  FakeRestoreDevice device;
  ASSERT_TRUE(device.write(stream));
  ASSERT_TRUE(device.freeze());
  EXPECT_EQ(device.atomic_restore().error().errnum, EPERM) << "without the last write";
  ASSERT_TRUE(device.finish());
  EXPECT_EQ(device.atomic_restore().error().errnum, 0);
  EXPECT_TRUE(device.restored());
}

TEST(FakeRestoreDevice, TakesPlainStreamsToo) {
  const std::vector<std::byte> stream(3 * 4096, std::byte{1});
  FakeRestoreDevice device;
  ASSERT_TRUE(device.write(stream));
  ASSERT_TRUE(device.finish());
  EXPECT_EQ(device.loaded(), stream);
  EXPECT_FALSE(device.write(stream));
}

TEST(FakeRestoreDevice, LeaksWhenThawedFirst) {
  const std::vector<std::byte> page(4096);
  FakeRestoreDevice device;
  ASSERT_TRUE(device.write(page));
  ASSERT_TRUE(device.unfreeze());
  EXPECT_TRUE(device.leaks());
}

}  // namespace
}  // namespace dormouse::test
