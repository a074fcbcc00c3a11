#include "io/posix_block_device.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/aligned_buffer.h"
#include "support/faulty_system_calls.h"
#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::size_t kSize = std::size_t{1} << 20;
constexpr std::size_t kBlock = kMinPageBytes;

class PosixBlockDeviceTest : public ::testing::TestWithParam<IoMode> {
 protected:
  Result<std::unique_ptr<PosixBlockDevice>> open(Access access = Access::kReadWrite) {
    return PosixBlockDevice::open(path_, {.io = GetParam(), .access = access}, calls_);
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_.sparse("area", kSize);
  FaultySystemCalls calls_;
  AlignedBuffer page_ = AlignedBuffer::allocate(4 * kBlock).value();
};

INSTANTIATE_TEST_SUITE_P(Io, PosixBlockDeviceTest, ::testing::Values(IoMode::kDirect, IoMode::kBuffered),
                         [](const auto& info) {
                           return info.param == IoMode::kDirect ? "Direct" : "Buffered";
                         });

TEST_P(PosixBlockDeviceTest, WhatIsWrittenIsInTheFile) {
  auto device = open();
  ASSERT_TRUE(device) << device.error().what();
  std::ranges::fill(page_.span(), std::byte{'x'});
  ASSERT_TRUE((*device)->write(DeviceOffset{kBlock}, page_.span()));
  ASSERT_TRUE((*device)->flush());
  const auto content = read_whole(path_);
  EXPECT_EQ(content.substr(kBlock, 4 * kBlock), std::string(4 * kBlock, 'x'));
  EXPECT_EQ(content.size(), kSize);
  EXPECT_EQ((*device)->name(), path_);
}

TEST_P(PosixBlockDeviceTest, ShortTransfersAndInterruptionsAreMadeGood) {
  auto device = open();
  ASSERT_TRUE(device);
  std::ranges::fill(page_.span(), std::byte{'y'});
  calls_.limit_transfers(kBlock);
  calls_.faults().fail_name("pwrite", EINTR, 2);
  ASSERT_TRUE((*device)->write(DeviceOffset{0}, page_.span()));
  EXPECT_EQ(calls_.faults().count("pwrite"), 6U);

  std::ranges::fill(page_.span(), std::byte{0});
  calls_.faults().fail_name("pread", EINTR, 2);
  ASSERT_TRUE((*device)->read(DeviceOffset{0}, page_.span()));
  EXPECT_EQ(std::ranges::count(page_.span(), std::byte{'y'}), 4 * kBlock);
  EXPECT_EQ(calls_.faults().count("pread"), 6U);

  calls_.faults().fail_name("fdatasync", EINTR, 2);
  EXPECT_TRUE((*device)->flush());
}

TEST_P(PosixBlockDeviceTest, AFailedWriteNamesItsPlaceAndSticks) {
  auto device = open();
  ASSERT_TRUE(device);
  calls_.limit_transfers(kBlock);
  ASSERT_TRUE((*device)->write(DeviceOffset{0}, page_.span()));
  calls_.faults().fail_call(calls_.faults().calls().size() + 1, EIO);
  const auto first = (*device)->write(DeviceOffset{kBlock}, page_.span());
  ASSERT_FALSE(first);
  EXPECT_THAT(first.error().what(), StartsWith("write on " + path_ + " at byte 8192: Input/output error: "));
  const auto calls_so_far = calls_.faults().calls().size();
  EXPECT_EQ((*device)->write(DeviceOffset{0}, page_.span()).error().offset, 8192U);
  EXPECT_EQ((*device)->flush().error().offset, 8192U);
  EXPECT_EQ(calls_.faults().calls().size(), calls_so_far) << "the device is left alone";
  EXPECT_TRUE((*device)->read(DeviceOffset{0}, page_.span())) << "reading goes on";
}

TEST_P(PosixBlockDeviceTest, AFailedFlushSticks) {
  auto device = open();
  ASSERT_TRUE(device);
  calls_.faults().fail_name("fdatasync", EIO);
  EXPECT_EQ((*device)->flush().error().errnum, EIO);
  EXPECT_EQ((*device)->flush().error().operation, "flush");
  EXPECT_EQ((*device)->write(DeviceOffset{0}, page_.span()).error().operation, "flush");
}

TEST_P(PosixBlockDeviceTest, AFailedReadDoesNotStick) {
  auto device = open();
  ASSERT_TRUE(device);
  calls_.faults().fail_name("pread", EIO);
  EXPECT_EQ((*device)->read(DeviceOffset{0}, page_.span()).error().errnum, EIO);
  EXPECT_TRUE((*device)->read(DeviceOffset{0}, page_.span()));
  EXPECT_TRUE((*device)->write(DeviceOffset{0}, page_.span()));
}

TEST_P(PosixBlockDeviceTest, AnErrorOfTheBackgroundIsToldByTheNextFlush) {
  auto device = open();
  ASSERT_TRUE(device);
  const auto name = GetParam() == IoMode::kDirect ? "fdatasync" : "sync_file_range";
  calls_.faults().fail_name(name, EIO);
  const std::vector<ByteRange> ranges = {{DeviceOffset{0}, kBlock}};
  (*device)->start_writeout(ranges);
  (*device)->quiesce();
  ASSERT_TRUE(calls_.faults().fired());
  EXPECT_TRUE((*device)->write(DeviceOffset{0}, page_.span())) << "not before it";
  EXPECT_EQ((*device)->flush().error().errnum, EIO);
  EXPECT_EQ((*device)->flush().error().errnum, EIO);
  EXPECT_EQ((*device)->write(DeviceOffset{0}, page_.span()).error().errnum, EIO);
}

TEST_P(PosixBlockDeviceTest, AsksForWriteoutInItsOwnWay) {
  auto device = open();
  ASSERT_TRUE(device);
  const std::vector<ByteRange> ranges = {
      {DeviceOffset{0}, kBlock}, {DeviceOffset{kBlock}, 0}, {DeviceOffset{8192}, kBlock}};
  (*device)->start_writeout(ranges);
  (*device)->quiesce();
  const bool direct = GetParam() == IoMode::kDirect;
  EXPECT_EQ(calls_.faults().count("fdatasync"), direct ? 1U : 0U);
  EXPECT_EQ(calls_.faults().count("sync_file_range"), direct ? 0U : 2U)
      << "an empty range would mean all of the file";
}

TEST_P(PosixBlockDeviceTest, AnEndWithinTheSizeIsAnError) {
  auto device = open();
  ASSERT_TRUE(device);
  std::filesystem::resize_file(path_, 8192);
  const auto r = (*device)->read(DeviceOffset{kBlock}, page_.span());
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, Errc::kIo);
  EXPECT_EQ(r.error().offset, 8192U);
}

TEST_P(PosixBlockDeviceTest, ReadOnlyCannotWrite) {
  auto device = open(Access::kReadOnly);
  ASSERT_TRUE(device);
  EXPECT_TRUE((*device)->read(DeviceOffset{0}, page_.span()));
  const auto r = (*device)->write(DeviceOffset{0}, page_.span());
  ASSERT_FALSE(r);
  EXPECT_THAT(r.error().what(), HasSubstr("opened for reading only"));
}

TEST_P(PosixBlockDeviceTest, AFullFileSystemIsNoSpace) {
  auto device = open();
  ASSERT_TRUE(device);
  calls_.faults().fail_name("pwrite", ENOSPC);
  EXPECT_EQ((*device)->write(DeviceOffset{0}, page_.span()).error().code, Errc::kNoSpace);
}

TEST_P(PosixBlockDeviceTest, SwapThatWasNotChosenIsExplained) {
  auto device = open();
  ASSERT_TRUE(device);
  calls_.faults().fail_name("pwrite", ETXTBSY);
  EXPECT_THAT((*device)->write(DeviceOffset{0}, page_.span()).error().what(), HasSubstr("in use as swap"));
}

TEST_P(PosixBlockDeviceTest, RefusesWhatIsNoStorageWithoutOpeningIt) {
  const auto fifo = directory_.file("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::vector<std::pair<std::string, std::string>> others = {
      {"/dev/null", "a character device"}, {directory_.path(), "a directory"}, {fifo, "a pipe"}};
  for (const auto& [path, kind] : others) {
    const auto device = PosixBlockDevice::open(path, {.io = GetParam()}, calls_);
    ASSERT_FALSE(device) << path;
    EXPECT_EQ(device.error().code, Errc::kUsage);
    EXPECT_THAT(device.error().what(), HasSubstr(kind));
  }
  EXPECT_EQ(calls_.faults().count("open"), 0U);
}

TEST_P(PosixBlockDeviceTest, AMissingFileIsNamed) {
  const auto device = PosixBlockDevice::open(directory_.file("none"), {.io = GetParam()});
  ASSERT_FALSE(device);
  EXPECT_THAT(device.error().what(),
              StartsWith("open on " + directory_.file("none") + ": No such file or directory: "));
}

TEST_P(PosixBlockDeviceTest, OpenTriesAgainWhenInterruptedAndKeepsOtherErrors) {
  calls_.faults().fail_name("open", EINTR);
  EXPECT_TRUE(open());
  calls_.faults().fail_name("open", EBUSY);
  EXPECT_EQ(open().error().code, Errc::kBusy);
  calls_.faults().fail_name("open", EACCES);
  EXPECT_EQ(open().error().errnum, EACCES);
}

TEST_P(PosixBlockDeviceTest, OnlyOneMayHaveAFileForItself) {
  const auto first = PosixBlockDevice::open(path_, {.io = GetParam(), .exclusive = true});
  ASSERT_TRUE(first);
  const auto second = PosixBlockDevice::open(path_, {.io = GetParam(), .exclusive = true});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::kBusy);
}

TEST(PosixBlockDevice, AFileSystemWithoutDirectIoHasARemedy) {
  const TemporaryDirectory directory;
  FaultySystemCalls calls;
  calls.faults().fail_name("open", EINVAL);
  const auto device = PosixBlockDevice::open(directory.sparse("area", kSize), {}, calls);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Errc::kUsage);
  EXPECT_THAT(device.error().what(), HasSubstr("--io buffered"));
}

}  // namespace
}  // namespace dormouse::test
