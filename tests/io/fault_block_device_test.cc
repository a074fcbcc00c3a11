#include "support/fault_block_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/aligned_buffer.h"
#include "io/memory_block_device.h"

namespace dormouse::test {
namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::size_t kSector = 512;

AlignedBuffer block(char value) {
  auto buffer = AlignedBuffer::allocate(kBlock).value();
  std::ranges::fill(buffer.span(), static_cast<std::byte>(value));
  return buffer;
}

class FaultBlockDeviceTest : public ::testing::Test {
 protected:
  /// Writes 'a' to blocks 0 and 1, flushes, writes 'b' to block 0 and 'c' to block 1, and the power goes in
  /// the latter.
  void run_to_cut(FaultPlan plan) {
    plan.cut_at_call = 4;
    FaultBlockDevice device(medium_, plan);
    ASSERT_TRUE(device.write(DeviceOffset{0}, block('a').span()));
    ASSERT_TRUE(device.write(DeviceOffset{kBlock}, block('a').span()));
    ASSERT_TRUE(device.flush());
    ASSERT_TRUE(device.write(DeviceOffset{0}, block('b').span()));
    auto out = block('-');
    EXPECT_FALSE(device.fired());
    EXPECT_FALSE(device.write(DeviceOffset{kBlock}, block('c').span()));
    EXPECT_TRUE(device.fired());
    EXPECT_FALSE(device.read(DeviceOffset{0}, out.span()));
    EXPECT_FALSE(device.flush());
  }
  /// The first byte of every sector of the two blocks; fails where a sector is mixed.
  std::string sectors() {
    std::string result;
    for (std::size_t at = 0; at < 2 * kBlock; at += kSector) {
      const auto sector = medium_.bytes().subspan(at, kSector);
      EXPECT_EQ(std::ranges::count(sector, sector[0]), kSector);
      result += static_cast<char>(sector[0]);
    }
    return result;
  }
  MemoryBlockDevice medium_{std::uint64_t{1} << 20};
};

TEST_F(FaultBlockDeviceTest, KeptWritesAllArrive) {
  run_to_cut({.unflushed = UnflushedWrites::kKept});
  EXPECT_EQ(sectors(), "bbbbbbbbcccccccc");
}

TEST_F(FaultBlockDeviceTest, LostWritesNeverWere) {
  run_to_cut({.unflushed = UnflushedWrites::kLost});
  EXPECT_EQ(sectors(), "aaaaaaaaaaaaaaaa");
}

TEST_F(FaultBlockDeviceTest, TornWritesArriveInOrderUpToASector) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    run_to_cut({.unflushed = UnflushedWrites::kTorn, .seed = seed});
    const auto now = sectors();
    seen.insert(now);
    const std::string full = "bbbbbbbbcccccccc";
    const auto arrived = std::ranges::mismatch(now, full).in1 - now.begin();
    EXPECT_EQ(now.substr(static_cast<std::size_t>(arrived)),
              std::string(static_cast<std::size_t>(16 - arrived), 'a'));
  }
  EXPECT_EQ(seen.size(), 17U) << "every place is cut by some seed";
}

TEST_F(FaultBlockDeviceTest, ReorderedWritesArriveSectorBySector) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    run_to_cut({.seed = seed});
    const auto now = sectors();
    seen.insert(now);
    EXPECT_EQ(now.substr(0, 8).find_first_not_of("ab"), std::string::npos);
    EXPECT_EQ(now.substr(8).find_first_not_of("ac"), std::string::npos);
  }
  EXPECT_GT(seen.size(), 40U);
}

TEST_F(FaultBlockDeviceTest, TheSameSeedGivesTheSameMedium) {
  run_to_cut({.seed = 7});
  const auto first = sectors();
  run_to_cut({.seed = 7});
  EXPECT_EQ(sectors(), first);
}

TEST_F(FaultBlockDeviceTest, ASweepReachesEveryCallAndEnds) {
  std::uint64_t cut = 0;
  for (;; ++cut) {
    ASSERT_LT(cut, 100U);
    FaultBlockDevice device(medium_, {.cut_at_call = cut});
    auto out = block('-');
    static_cast<void>(device.write(DeviceOffset{0}, block('a').span()));
    device.start_writeout({});
    static_cast<void>(device.read(DeviceOffset{0}, out.span()));
    static_cast<void>(device.flush());
    if (!device.fired()) break;
  }
  EXPECT_EQ(cut, 4U);
}

TEST_F(FaultBlockDeviceTest, AnInjectedWriteErrorSticksAndLeavesTheMedium) {
  FaultBlockDevice device(medium_, {.fail_at_call = 1, .errnum = ENOSPC});
  auto out = block('-');
  ASSERT_TRUE(device.write(DeviceOffset{0}, block('a').span()));
  EXPECT_EQ(device.write(DeviceOffset{kBlock}, block('b').span()).error().code, Errc::kNoSpace);
  EXPECT_EQ(device.write(DeviceOffset{0}, block('c').span()).error().errnum, ENOSPC);
  EXPECT_EQ(device.flush().error().errnum, ENOSPC);
  EXPECT_TRUE(device.read(DeviceOffset{0}, out.span())) << "once: reads go on";
  EXPECT_EQ(sectors(), std::string(8, 'a') + std::string(8, '\0'));
}

TEST_F(FaultBlockDeviceTest, AReadErrorIsForOnceOrForEver) {
  auto out = block('-');
  FaultBlockDevice once(medium_, {.fail_at_call = 0});
  EXPECT_FALSE(once.read(DeviceOffset{0}, out.span()));
  EXPECT_TRUE(once.read(DeviceOffset{0}, out.span()));
  FaultBlockDevice ever(medium_, {.fail_at_call = 0, .fail_for_ever = true});
  EXPECT_FALSE(ever.read(DeviceOffset{0}, out.span()));
  EXPECT_FALSE(ever.read(DeviceOffset{0}, out.span()));
}

TEST_F(FaultBlockDeviceTest, WhereOnlyFlushesFailTheCacheStillTakesWrites) {
  FaultBlockDevice device(medium_, {.fail_at_call = 1, .fail_for_ever = true, .only_flushes = true});
  ASSERT_TRUE(device.write(DeviceOffset{0}, block('a').span()));
  ASSERT_TRUE(device.flush());
  ASSERT_TRUE(device.write(DeviceOffset{0}, block('b').span()));
  EXPECT_FALSE(device.fired());
  ASSERT_FALSE(device.flush());
  EXPECT_TRUE(device.fired());
  EXPECT_FALSE(device.write(DeviceOffset{0}, block('c').span())) << "the contract's sticky error";
  device.forget_error();
  EXPECT_TRUE(device.write(DeviceOffset{0}, block('c').span()));
  EXPECT_FALSE(device.flush());
}

TEST_F(FaultBlockDeviceTest, AnErrorOfAWriteoutIsToldByTheNextFlush) {
  FaultBlockDevice device(medium_, {.fail_at_call = 0});
  device.start_writeout({});
  EXPECT_TRUE(device.write(DeviceOffset{0}, block('a').span()));
  EXPECT_EQ(device.flush().error().errnum, EIO);
}

}  // namespace
}  // namespace dormouse::test
