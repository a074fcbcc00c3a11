#include "kernel/linux_snapshot_device.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/sysmacros.h>

#include <functional>

#include "base/aligned_buffer.h"
#include "support/allocation_counter.h"
#include "support/faulty_system_calls.h"
#include "support/snapshot_calls.h"
#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;

/// Without the value: the C++ library of GCC 12 has no expected::transform.
template <class T>
Result<void> outcome(const Result<T>& result) {
  if (result) return {};
  return std::unexpected(result.error());
}

class LinuxSnapshotDeviceTest : public ::testing::Test {
 protected:
  explicit LinuxSnapshotDeviceTest(FakeMachine machine = {.image_pages = 2500})
      : machine_(machine), kernel_(machine) {
    directory_.write("sys/power/disk", "[disabled]\n");
    directory_.write("proc/cmdline", "root=/dev/vda1 nohibernate quiet\n");
  }
  SnapshotOpenOptions options() {
    return {.path = "/dev/snapshot",
            .paths = {.proc = directory_.file("proc"),
                      .sys = directory_.file("sys"),
                      .dev = directory_.file("dev")},
            .page_bytes = machine_.page_bytes};
  }
  LinuxSnapshotDevice& device() {
    if (!device_) {
      auto opened = LinuxSnapshotDevice::open(options(), calls_);
      EXPECT_TRUE(opened);
      device_ = std::move(*opened);
    }
    return *device_;
  }
  void make_image() {
    ASSERT_TRUE(device().freeze());
    ASSERT_EQ(device().create_image().value(), SnapshotState::kCreated);
    ASSERT_TRUE(device().image_bytes());
  }

  FakeMachine machine_;
  TemporaryDirectory directory_;
  SnapshotCalls kernel_;
  FaultySystemCalls calls_{kernel_};
  std::unique_ptr<LinuxSnapshotDevice> device_;
};

TEST_F(LinuxSnapshotDeviceTest, ReadsTheWholeStreamInFewCalls) {
  make_image();
  EXPECT_EQ(device().total_pages(), 2500U);
  const std::size_t page = machine_.page_bytes;
  auto buffer = AlignedBuffer::allocate(2000 * page).value();
  std::vector<std::byte> all;
  for (;;) {
    const auto moved = device().read(buffer.span());
    ASSERT_TRUE(moved) << moved.error().what();
    if (*moved == 0) break;
    all.insert(all.end(), buffer.data(), buffer.data() + *moved);
  }
  EXPECT_TRUE(all == FakeSnapshotDevice::stream(machine_));
  EXPECT_EQ(kernel_.transfers(), 3) << "1024 + 976 + 500 pages; the end is known and not asked for";
  EXPECT_EQ(kernel_.longest_transfer(), 1024);
  EXPECT_EQ(device().read(buffer.span()).value(), 0U);
}

TEST_F(LinuxSnapshotDeviceTest, OpensForReadingAndCloses) {
  device();
  EXPECT_EQ(kernel_.open_flags() & O_ACCMODE, O_RDONLY);
  EXPECT_NE(kernel_.open_flags() & O_CLOEXEC, 0);
  device_.reset();
  EXPECT_FALSE(kernel_.is_open());
}

TEST_F(LinuxSnapshotDeviceTest, ShortBatchesAreMadeGood) {
  make_image();
  calls_.limit_transfers(7 * machine_.page_bytes);
  calls_.faults().fail_name("readv", EINTR, 2);
  auto buffer = AlignedBuffer::allocate(20 * machine_.page_bytes).value();
  EXPECT_EQ(device().read(buffer.span()).value(), buffer.size());
  EXPECT_EQ(calls_.faults().count("readv"), 5U);
}

TEST_F(LinuxSnapshotDeviceTest, AStreamThatEndsEarlyIsAnError) {
  kernel_.image_size_lie = 3000 * 4096;
  make_image();
  auto buffer = AlignedBuffer::allocate(3000 * 4096).value();
  const auto r = device().read(buffer.span());
  ASSERT_FALSE(r);
  EXPECT_THAT(r.error().what(), HasSubstr("ended after 2500 of 3000 pages"));
}

TEST_F(LinuxSnapshotDeviceTest, ReadErrorsAreNamed) {
  make_image();
  auto buffer = AlignedBuffer::allocate(4 * 4096).value();
  EXPECT_EQ(device().read(buffer.span().first(100)).error().code, Errc::kUsage);
  EXPECT_EQ(device().read({}).error().code, Errc::kUsage) << "the kernel would lose a page";
  calls_.faults().fail_name("readv", EIO);
  EXPECT_EQ(device().read(buffer.span()).error().what(),
            "read snapshot on /dev/snapshot: Input/output error: the device or its driver failed; the kernel "
            "log (dmesg) "
            "says more, and smartctl how the disk is");
}

TEST_F(LinuxSnapshotDeviceTest, CreatedWithoutAnImageIsFound) {
  for (const std::int64_t bytes : {std::int64_t{4096}, std::int64_t{8192}, std::int64_t{0}, std::int64_t{-1},
                                   std::int64_t{3 * 4096 + 1}}) {
    kernel_.image_size_lie = bytes;
    ASSERT_TRUE(device().freeze());
    ASSERT_TRUE(device().create_image());
    const auto r = device().image_bytes();
    ASSERT_FALSE(r) << bytes;
    EXPECT_THAT(r.error().what(), HasSubstr("no image"));
    ASSERT_TRUE(device().free_image());
  }
}

class StaleSnapshotTest : public LinuxSnapshotDeviceTest {
 protected:
  StaleSnapshotTest() : LinuxSnapshotDeviceTest({.stale_create = true}) {}
};

TEST_F(StaleSnapshotTest, IsNoImage) {
  ASSERT_TRUE(device().freeze());
  EXPECT_EQ(device().create_image().value(), SnapshotState::kCreated);
  EXPECT_FALSE(device().image_bytes());
}

class ResumedSnapshotTest : public LinuxSnapshotDeviceTest {
 protected:
  ResumedSnapshotTest() : LinuxSnapshotDeviceTest({.comes_back_resumed = true}) {}
};

TEST_F(ResumedSnapshotTest, MustFreeBeforeItThaws) {
  ASSERT_TRUE(device().freeze());
  EXPECT_EQ(device().create_image().value(), SnapshotState::kResumed);
  EXPECT_EQ(device().unfreeze().error().code, Errc::kUsage);
  EXPECT_TRUE(kernel_.saving().frozen());
  ASSERT_TRUE(device().free_image());
  ASSERT_TRUE(device().unfreeze());
  EXPECT_FALSE(kernel_.saving().frozen());
}

TEST_F(LinuxSnapshotDeviceTest, AnAnswerThatIsNeitherIsAnError) {
  kernel_.create_lie = 7;
  ASSERT_TRUE(device().freeze());
  EXPECT_THAT(device().create_image().error().what(), HasSubstr("answered 7"));
}

TEST_F(LinuxSnapshotDeviceTest, AFailedSnapshotLetsKernelThreadsGo) {
  ASSERT_TRUE(device().freeze());
  kernel_.saving().faults().fail_name("SNAPSHOT_CREATE_IMAGE", ENOMEM);
  const auto r = device().create_image();
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, Errc::kNoMemory);
  EXPECT_EQ(r.error().operation, "SNAPSHOT_CREATE_IMAGE");
  EXPECT_EQ(kernel_.saving().calls().back(), "SNAPSHOT_FREE");
  EXPECT_TRUE(device().unfreeze());
  EXPECT_FALSE(kernel_.saving().frozen());
}

TEST_F(LinuxSnapshotDeviceTest, ABusyLockIsTriedAgainARefusalIsNot) {
  calls_.faults().fail_name("ioctl", EBUSY, 5);
  EXPECT_TRUE(device().available_swap_bytes());
  EXPECT_EQ(calls_.pauses(), 5U);

  calls_.faults().fail_name("ioctl", EBUSY, 1);
  const auto frozen = device().freeze();
  ASSERT_FALSE(frozen);
  EXPECT_EQ(frozen.error().code, Errc::kBusy);
  EXPECT_THAT(frozen.error().what(),
              HasSubstr("SNAPSHOT_FREEZE on /dev/snapshot: Device or resource busy: some task"));

  calls_.faults().fail_name("ioctl", EBUSY, 1'000'000);
  EXPECT_EQ(device().free_image().error().code, Errc::kBusy) << "but not for ever";
}

TEST_F(LinuxSnapshotDeviceTest, SwapAreaIsChosenByDeviceAndPage) {
  EXPECT_EQ(device().available_swap_bytes().value(), 0U);
  EXPECT_EQ(device().allocate_swap_page().error().code, Errc::kImpossible);
  const auto wrong = device().set_swap_area(machine_.swap_device, 5);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, Errc::kImpossible);
  EXPECT_THAT(wrong.error().what(), HasSubstr("no active swap area has its header there"));
  EXPECT_EQ(device().set_swap_area(0, 0).error().code, Errc::kImpossible);
  ASSERT_TRUE(device().set_swap_area(machine_.swap_device, 0));
  EXPECT_EQ(device().available_swap_bytes().value(), 1023U * 4096);
  EXPECT_EQ(device().allocate_swap_page().value(), DeviceOffset{4096});
  ASSERT_TRUE(device().free_swap_pages());
  EXPECT_EQ(kernel_.saving().slots_allocated(), 0U);
}

class WideDeviceNumberTest : public LinuxSnapshotDeviceTest {
 protected:
  WideDeviceNumberTest()
      : LinuxSnapshotDeviceTest({.swap_device = gnu_dev_makedev(259, 0x12345), .header_page = 77}) {}
};

TEST_F(WideDeviceNumberTest, SurvivesTheKernelsEncoding) {
  EXPECT_TRUE(device().set_swap_area(machine_.swap_device, 77));
}

TEST_F(LinuxSnapshotDeviceTest, AnImpossibleSlotIsNotWrittenTo) {
  ASSERT_TRUE(device().set_swap_area(machine_.swap_device, 0));
  for (const std::int64_t slot : {0, -4096, 4095}) {
    kernel_.slot_lie = slot;
    EXPECT_THAT(device().allocate_swap_page().error().what(), HasSubstr("impossible slot"));
  }
}

TEST_F(LinuxSnapshotDeviceTest, PowerOffThatReturnsIsAFailure) {
  EXPECT_THAT(device().power_off().error().what(), HasSubstr("platform support was not switched on"));
  EXPECT_FALSE(kernel_.saving().powered_off());
  ASSERT_TRUE(device().set_platform_support(true));
  EXPECT_THAT(device().power_off().error().what(), HasSubstr("returned without powering off"));
  EXPECT_TRUE(kernel_.saving().powered_off()) << "the fake returns, the machine does not";
  kernel_.saving().faults().fail_name("SNAPSHOT_POWER_OFF", ENOSYS);
  EXPECT_THAT(device().power_off().error().what(), HasSubstr("--shutdown-method shutdown"));
}

TEST_F(LinuxSnapshotDeviceTest, OpenErrorsSayWhatToDo) {
  const std::vector<std::tuple<int, Errc, std::string>> cases = {
      {EBUSY, Errc::kBusy, "another program"},
      {EPERM, Errc::kImpossible, "\"nohibernate\" on the kernel's command line"},
      {EACCES, Errc::kIo, "only root"},
      {ENOENT, Errc::kImpossible, "CONFIG_HIBERNATION_SNAPSHOT_DEV"},
      {ENOMEM, Errc::kNoMemory, "Cannot allocate memory"},
      {EIO, Errc::kIo, "Input/output error"},
  };
  for (const auto& [errnum, code, words] : cases) {
    calls_.faults().fail_name("open", errnum);
    const auto r = LinuxSnapshotDevice::open(options(), calls_);
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().code, code);
    EXPECT_EQ(r.error().errnum, errnum);
    EXPECT_THAT(r.error().what(), HasSubstr(words));
  }
}

TEST_F(LinuxSnapshotDeviceTest, EveryErrnoOfEveryIoctlIsKept) {
  using Device = LinuxSnapshotDevice;
  const std::vector<std::pair<std::string_view, std::function<Result<void>(Device&)>>> all = {
      {"SNAPSHOT_SET_SWAP_AREA", [](Device& d) { return d.set_swap_area(1, 0); }},
      {"SNAPSHOT_AVAIL_SWAP_SIZE", [](Device& d) { return outcome(d.available_swap_bytes()); }},
      {"SNAPSHOT_ALLOC_SWAP_PAGE", [](Device& d) { return outcome(d.allocate_swap_page()); }},
      {"SNAPSHOT_FREE_SWAP_PAGES", [](Device& d) { return d.free_swap_pages(); }},
      {"SNAPSHOT_PREF_IMAGE_SIZE", [](Device& d) { return d.set_preferred_image_bytes(1); }},
      {"SNAPSHOT_PLATFORM_SUPPORT", [](Device& d) { return d.set_platform_support(true); }},
      {"SNAPSHOT_FREEZE", [](Device& d) { return d.freeze(); }},
      {"SNAPSHOT_UNFREEZE", [](Device& d) { return d.unfreeze(); }},
      {"SNAPSHOT_GET_IMAGE_SIZE", [](Device& d) { return outcome(d.image_bytes()); }},
      {"SNAPSHOT_FREE", [](Device& d) { return d.free_image(); }},
      {"SNAPSHOT_S2RAM", [](Device& d) { return d.suspend_to_ram(); }},
  };
  for (const auto& [name, call] : all) {
    for (int errnum = 1; errnum < 134; ++errnum) {
      if (errnum == EINTR) continue;
      calls_.faults().fail_name("ioctl", errnum, 1'000'000);
      const auto r = call(device());
      ASSERT_FALSE(r) << name << errnum;
      EXPECT_EQ(r.error().operation, name);
      EXPECT_EQ(r.error().errnum, errnum);
    }
  }
}

TEST_F(LinuxSnapshotDeviceTest, AllocatesNothingOnceItIsOpen) {
  auto buffer = AlignedBuffer::allocate(64 * 4096).value();
  device();
  AllocationCounter allocations;
  auto moved = device().read(buffer.span());
  calls_.limit_transfers(0);
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_EQ(moved.value(), 0U);
}

}  // namespace
}  // namespace dormouse::test
