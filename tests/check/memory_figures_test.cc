#include "check/memory_figures.h"

#include <gmock/gmock.h>

#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

/// 1000 MiB in use, 300 of it cache and 400 that could be swapped out; at most 900 can be saved.
MemoryFigures figures() {
  return {.total = 2000 * kMiB,
          .free = 1000 * kMiB,
          .available = 1300 * kMiB,
          .droppable = 300 * kMiB,
          .swappable = 400 * kMiB,
          .fixed = 0,
          .limit = 900 * kMiB};
}

std::pair<std::uint64_t, std::uint64_t> foretold(std::uint64_t cap, std::uint64_t swap,
                                                 const MemoryFigures& memory = figures()) {
  const auto image = foretell_image(memory, cap * kMiB, swap * kMiB);
  return {image.image_bytes / kMiB, image.swapped_out_bytes / kMiB};
}

using Pair = std::pair<std::uint64_t, std::uint64_t>;

TEST(ForetellImage, AllThatIsInUseWithinCapAndLimit) {
  auto memory = figures();
  memory.free = 1200 * kMiB;
  EXPECT_EQ(foretold(850, 1000, memory), (Pair{800, 0}));
}

TEST(ForetellImage, NeverAboveTheLimit) {
  EXPECT_EQ(foretold(5000, 1000), (Pair{900, 0}));
}

TEST(ForetellImage, CacheGoesFirst) {
  EXPECT_EQ(foretold(750, 1000), (Pair{750, 0}));
}

TEST(ForetellImage, ThenMemoryIsSwappedOut) {
  EXPECT_EQ(foretold(500, 1000), (Pair{500, 200}));
  EXPECT_EQ(foretold(0, 1000), (Pair{300, 400}));
}

TEST(ForetellImage, AsFarAsThereIsSwap) {
  EXPECT_EQ(foretold(500, 50), (Pair{650, 50}));
}

class ReadMemoryFigures : public ::testing::Test {
 protected:
  Result<MemoryFigures> read() {
    return read_memory_figures({.paths = {.proc = root_.file("proc"), .sys = root_.file("sys")}}, 4096);
  }
  TemporaryDirectory root_;
};

TEST_F(ReadMemoryFigures, TakesWholeKeys) {
  root_.write("proc/meminfo",
              "MemTotal:        1048576 kB\nMemFree:          100000 kB\nMemAvailable:     500000 kB\n"
              "Inactive(file):    3000 kB\nActive(file):      2000 kB\nSReclaimable:      1000 kB\n"
              "Active:            7777 kB\nActive(anon):        40 kB\nInactive(anon):      60 kB\n");
  const auto memory = read();
  ASSERT_TRUE(memory) << memory.error().what();
  EXPECT_EQ(memory->total, 1024 * kMiB);
  EXPECT_EQ(memory->free, 100'000U * 1024);
  EXPECT_EQ(memory->available, 500'000U * 1024);
  EXPECT_EQ(memory->droppable, 6'000U * 1024);
  EXPECT_EQ(memory->swappable, 100U * 1024);
  // A structure of 64 bytes for each page frame, and the kernel.
  EXPECT_EQ(memory->fixed, 16 * kMiB + 32 * kMiB);
}

TEST_F(ReadMemoryFigures, TheLimitIsAboutHalf) {
  root_.write("proc/meminfo", "MemTotal: 1048576 kB\nMemFree: 1 kB\nMemAvailable: 1 kB\n");
  const auto without = read();
  ASSERT_TRUE(without);
  EXPECT_GT(without->limit, 500 * kMiB);
  EXPECT_LT(without->limit, 536 * kMiB);
  root_.write("sys/power/reserved_size", "10485760\n");
  EXPECT_EQ(read()->limit, without->limit - 2 * 9 * kMiB);
  root_.write("proc/sys/vm/min_free_kbytes", "400\n");
  EXPECT_EQ(read()->limit, without->limit - 2 * 9 * kMiB - 400 * 1024);
}

TEST_F(ReadMemoryFigures, RefusesWhatDoesNotSayEnough) {
  for (const auto* text : {"", "MemTotal: 100 kB\n", "MemTotal: 5 kB\nMemFree: 9 kB\nMemAvailable: 1 kB\n",
                           "MemTotal: 99999999999999999999 kB\nMemFree: 9 kB\nMemAvailable: 1 kB\n"}) {
    root_.write("proc/meminfo", text);
    const auto memory = read();
    ASSERT_FALSE(memory) << text;
    EXPECT_EQ(memory.error().code, Errc::kIo);
  }
}

}  // namespace
}  // namespace dormouse::test
