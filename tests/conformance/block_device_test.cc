/// What every BlockDevice must keep, whatever it is made of.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <ostream>
#include <thread>
#include <vector>

#include "base/aligned_buffer.h"
#include "io/memory_block_device.h"
#include "io/null_block_device.h"
#include "io/posix_block_device.h"
#include "support/allocation_counter.h"
#include "support/fault_block_device.h"
#include "support/recording_block_device.h"
#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

constexpr std::uint64_t kSize = std::uint64_t{16} << 20;
constexpr std::size_t kBlock = kMinPageBytes;

/// A device and what it stands on.
struct Stand {
  virtual ~Stand() = default;
  virtual BlockDevice& device() = 0;
};

class PosixStand final : public Stand {
 public:
  explicit PosixStand(IoMode io) {
    auto opened = PosixBlockDevice::open(directory_.sparse("area", kSize), {.io = io});
    if (!opened) throw std::runtime_error(opened.error().what());
    device_ = std::move(*opened);
  }
  BlockDevice& device() override { return *device_; }

 private:
  TemporaryDirectory directory_;
  std::unique_ptr<PosixBlockDevice> device_;
};

struct MemoryStand final : Stand {
  BlockDevice& device() override { return memory; }
  MemoryBlockDevice memory{kSize};
};

struct NullStand final : Stand {
  BlockDevice& device() override { return null; }
  NullBlockDevice null{kSize};
};

struct FaultStand final : Stand {
  BlockDevice& device() override { return fault; }
  MemoryBlockDevice memory{kSize};
  FaultBlockDevice fault{memory};
};

struct RecordingStand final : Stand {
  BlockDevice& device() override { return recording; }
  MemoryBlockDevice memory{kSize};
  RecordingBlockDevice recording{memory};
};

struct Kind {
  std::string name;
  std::function<std::unique_ptr<Stand>()> make;
  bool remembers = true;
  bool allocates_nothing = true;  // the fault and the recording device are for tests and do allocate
  friend void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }
};

std::vector<Kind> all_kinds() {
  return {
      {.name = "PosixDirect", .make = [] { return std::make_unique<PosixStand>(IoMode::kDirect); }},
      {.name = "PosixBuffered", .make = [] { return std::make_unique<PosixStand>(IoMode::kBuffered); }},
      {.name = "Memory", .make = [] { return std::make_unique<MemoryStand>(); }},
      {.name = "Null", .make = [] { return std::make_unique<NullStand>(); }, .remembers = false},
      {.name = "Fault", .make = [] { return std::make_unique<FaultStand>(); }, .allocates_nothing = false},
      {.name = "Recording",
       .make = [] { return std::make_unique<RecordingStand>(); },
       .allocates_nothing = false},
  };
}

/// The kinds of which `member` is true.
std::vector<Kind> kinds_that(bool Kind::* member) {
  auto kinds = all_kinds();
  std::erase_if(kinds, [member](const Kind& kind) { return !(kind.*member); });
  return kinds;
}

AlignedBuffer filled(std::size_t bytes, unsigned value) {
  auto buffer = AlignedBuffer::allocate(bytes);
  if (!buffer) throw std::bad_alloc();
  std::ranges::fill(buffer->span(), static_cast<std::byte>(value));
  return std::move(*buffer);
}

class BlockDeviceConformance : public ::testing::TestWithParam<Kind> {
 protected:
  BlockDevice& device() { return stand_->device(); }
  std::unique_ptr<Stand> stand_ = GetParam().make();
};

class RememberingDevice : public BlockDeviceConformance {};
class FrugalDevice : public BlockDeviceConformance {};

TEST_P(BlockDeviceConformance, SaysItsSizeAndName) {
  EXPECT_EQ(device().size_bytes(), kSize);
  EXPECT_FALSE(device().name().empty());
}

TEST_P(BlockDeviceConformance, ReadsZerosWhereNothingWasWritten) {
  auto out = filled(4 * kBlock, 0xff);
  ASSERT_TRUE(device().read(DeviceOffset{kSize - 4 * kBlock}, out.span()));
  EXPECT_EQ(std::ranges::count(out.span(), std::byte{0}), 4 * kBlock);
}

TEST_P(RememberingDevice, ReadsWhatWasWrittenBeforeAndAfterAFlush) {
  const auto data = filled(3 * kBlock, 0x5a);
  auto out = filled(5 * kBlock, 0xff);
  ASSERT_TRUE(device().write(DeviceOffset{8 * kBlock}, data.span()));
  for (int flushed = 0; flushed < 2; ++flushed) {
    ASSERT_TRUE(device().read(DeviceOffset{7 * kBlock}, out.span()));
    EXPECT_EQ(std::ranges::count(out.span(), std::byte{0x5a}), 3 * kBlock);
    EXPECT_EQ(out.span()[kBlock - 1], std::byte{0});
    EXPECT_EQ(out.span()[4 * kBlock], std::byte{0});
    ASSERT_TRUE(device().flush());
  }
}

TEST_P(BlockDeviceConformance, TakesItsFirstAndItsLastBlockAndNothingAtAll) {
  const auto data = filled(kBlock, 1);
  EXPECT_TRUE(device().write(DeviceOffset{0}, data.span()));
  EXPECT_TRUE(device().write(DeviceOffset{kSize - kBlock}, data.span()));
  EXPECT_TRUE(device().write(DeviceOffset{kSize}, data.span().first(0)));
}

TEST_P(BlockDeviceConformance, RefusesWhatBreaksTheRuleAndGoesOn) {
  auto data = filled(2 * kBlock, 1);
  const auto one = data.span().first(kBlock);
  const std::vector<std::pair<std::uint64_t, std::span<std::byte>>> bad = {
      {512, one},                             // offset not aligned
      {0, one.first(512)},                    // length not aligned
      {0, data.span().subspan(512, kBlock)},  // buffer not aligned
      {kSize, one},                           // just beyond the end
      {kSize - kBlock, data.span()},          // across the end
      {~std::uint64_t{0} - kBlock + 1, one},  // offset + length wraps round
  };
  for (const auto& [offset, span] : bad) {
    const auto written = device().write(DeviceOffset{offset}, span);
    ASSERT_FALSE(written) << offset;
    EXPECT_EQ(written.error().code, Errc::kUsage);
    const auto read = device().read(DeviceOffset{offset}, span);
    ASSERT_FALSE(read) << offset;
    EXPECT_EQ(read.error().code, Errc::kUsage);
  }
  EXPECT_TRUE(device().write(DeviceOffset{0}, one)) << "a refused call is no failed write";
  EXPECT_TRUE(device().flush());
}

TEST_P(BlockDeviceConformance, WriteoutIsOnlyAHint) {
  const auto data = filled(kBlock, 7);
  const std::vector<ByteRange> ranges = {{DeviceOffset{0}, kBlock}, {DeviceOffset{kBlock}, 0}};
  device().quiesce();  // with nothing begun
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(device().write(DeviceOffset{0}, data.span()));
      device().start_writeout(ranges);
      device().start_writeout({});
    }
    ASSERT_TRUE(device().flush());
    device().start_writeout(ranges);
    device().quiesce();
    device().quiesce();
    ASSERT_TRUE(device().write(DeviceOffset{0}, data.span())) << "writing may go on after quiesce()";
  }
  EXPECT_TRUE(device().flush());
}

TEST_P(BlockDeviceConformance, ThreadsMayWriteAndReadDisjointRanges) {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kBlocksEach = kSize / kBlock / kThreads;
  std::vector<int> bad(kThreads, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t, &bad] {
      const auto data = filled(kBlock, static_cast<unsigned>(t) + 1);
      auto out = filled(kBlock, 0xff);
      for (std::size_t i = 0; i < kBlocksEach; i += 16) {
        const DeviceOffset place{(i * kThreads + t) * kBlock};
        if (!device().write(place, data.span()) || !device().read(place, out.span())) ++bad[t];
        if (GetParam().remembers && std::memcmp(data.data(), out.data(), kBlock) != 0) ++bad[t];
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(bad, std::vector<int>(kThreads, 0));
}

TEST_P(FrugalDevice, AllocatesNothing) {
  const auto data = filled(kBlock, 7);
  auto out = filled(kBlock, 7);
  const std::vector<ByteRange> ranges = {{DeviceOffset{0}, kBlock}};
  AllocationCounter allocations;
  auto ok = device().write(DeviceOffset{0}, data.span()).has_value();
  ok = ok && device().read(DeviceOffset{0}, out.span());
  const auto refused = device().read(DeviceOffset{1}, out.span());
  ok = ok && device().flush();
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_TRUE(ok);
  EXPECT_FALSE(refused);
}

constexpr auto kName = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(All, BlockDeviceConformance, ::testing::ValuesIn(all_kinds()), kName);
INSTANTIATE_TEST_SUITE_P(All, RememberingDevice, ::testing::ValuesIn(kinds_that(&Kind::remembers)), kName);
INSTANTIATE_TEST_SUITE_P(All, FrugalDevice, ::testing::ValuesIn(kinds_that(&Kind::allocates_nothing)), kName);

}  // namespace
}  // namespace dormouse::test
