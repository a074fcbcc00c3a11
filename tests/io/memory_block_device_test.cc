#include "io/memory_block_device.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/aligned_buffer.h"
#include "io/null_block_device.h"

namespace dormouse {
namespace {

TEST(MemoryBlockDevice, ManyTimesTheMemoryOfTheMachineCostsWhatIsWritten) {
  MemoryBlockDevice device(std::uint64_t{1} << 38);
  auto page = AlignedBuffer::allocate(kMinPageBytes).value();
  page.span()[0] = std::byte{9};
  const DeviceOffset last{device.size_bytes() - kMinPageBytes};
  ASSERT_TRUE(device.write(last, page.span()));
  page.span()[0] = std::byte{0};
  ASSERT_TRUE(device.read(last, page.span()));
  EXPECT_EQ(page.span()[0], std::byte{9});
}

TEST(MemoryBlockDevice, ACloneSharesNothing) {
  MemoryBlockDevice device(std::uint64_t{1} << 20);
  auto page = AlignedBuffer::allocate(kMinPageBytes).value();
  page.span()[0] = std::byte{1};
  ASSERT_TRUE(device.write(DeviceOffset{8192}, page.span()));
  device.mutable_bytes(100, 1)[0] = std::byte{2};
  EXPECT_EQ(device.written_blocks(), 2U);

  auto copy = device.clone();
  EXPECT_TRUE(std::ranges::equal(copy.bytes(), device.bytes()));
  copy.mutable_bytes(8192, 1)[0] = std::byte{3};
  EXPECT_EQ(device.bytes()[8192], std::byte{1});
}

TEST(MemoryBlockDevice, ChangesPastWriteAreRead) {
  MemoryBlockDevice device(std::uint64_t{1} << 20);
  const auto range = device.mutable_bytes(4095, 2);
  std::ranges::fill(range, std::byte{7});
  auto pages = AlignedBuffer::allocate(2 * kMinPageBytes).value();
  ASSERT_TRUE(device.read(DeviceOffset{0}, pages.span()));
  EXPECT_EQ(pages.span()[4095], std::byte{7});
  EXPECT_EQ(pages.span()[4096], std::byte{7});
  EXPECT_EQ(device.written_blocks(), 2U);
}

TEST(NullBlockDevice, CountsWhatItForgets) {
  NullBlockDevice device(std::uint64_t{1} << 20);
  const auto page = AlignedBuffer::allocate(2 * kMinPageBytes).value();
  ASSERT_TRUE(device.write(DeviceOffset{0}, page.span()));
  EXPECT_FALSE(device.write(DeviceOffset{1}, page.span()));
  EXPECT_EQ(device.written_bytes(), 2 * kMinPageBytes);
}

}  // namespace
}  // namespace dormouse
