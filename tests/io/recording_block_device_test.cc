#include "support/recording_block_device.h"

#include <gtest/gtest.h>

#include "base/aligned_buffer.h"
#include "io/memory_block_device.h"

namespace dormouse::test {
namespace {

using Call = RecordingBlockDevice::Call;

TEST(RecordingBlockDevice, KeepsTheOrder) {
  MemoryBlockDevice memory(std::uint64_t{1} << 20);
  RecordingBlockDevice device(memory, RecordingBlockDevice::KeepData::kYes);
  auto page = AlignedBuffer::allocate(4096).value();
  page.span()[1] = std::byte{5};
  const std::vector<ByteRange> ranges = {{DeviceOffset{0}, 4096}, {DeviceOffset{8192}, 4096}};
  ASSERT_TRUE(device.write(DeviceOffset{8192}, page.span()));
  device.start_writeout(ranges);
  ASSERT_TRUE(device.flush());
  ASSERT_TRUE(device.read(DeviceOffset{8192}, page.span()));
  device.quiesce();
  const std::vector<RecordingBlockDevice::Event> expected = {
      {Call::kWrite, {ranges[1]}, {page.span().begin(), page.span().end()}},
      {Call::kStartWriteout, ranges, {}},
      {Call::kFlush, {}, {}},
      {Call::kRead, {ranges[1]}, {}},
      {Call::kQuiesce, {}, {}},
  };
  EXPECT_EQ(device.events(), expected);
  EXPECT_EQ(device.count(Call::kWrite), 1U);
  device.forget();
  EXPECT_TRUE(device.events().empty());
}

}  // namespace
}  // namespace dormouse::test
