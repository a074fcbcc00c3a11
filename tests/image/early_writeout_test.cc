/// What the device is asked for, and when. The 2006 benchmark is about these calls.
#include <gtest/gtest.h>

#include <algorithm>

#include "image/early_writeout_policy.h"
#include "image/image_bed.h"
#include "support/page_patterns.h"
#include "support/recording_block_device.h"
#include "swap/scattered_allocator.h"

namespace dormouse::test {
namespace {

using Call = RecordingBlockDevice::Call;
constexpr std::uint64_t kPages = 800;

struct Recorded {
  std::vector<RecordingBlockDevice::Event> events;
  std::uint64_t stored_bytes = 0;
  [[nodiscard]] std::size_t count(Call call) const {
    return static_cast<std::size_t>(std::ranges::count(events, call, &RecordingBlockDevice::Event::call));
  }
};

/// 800 pages that do not shrink, in 200 chunks, one worker.
Recorded write_with(std::uint32_t millionths, std::uint64_t longest_run = 0) {
  const SwapShape shape{.last_page = 2000};
  MemoryBlockDevice disk = make_swap_disk(shape);
  RecordingBlockDevice device(disk);
  ImageBed bed(device, shape);
  device.forget();
  const auto image = make_pattern(PagePattern::kRandom, 5, kPages * 4096);
  MemoryPageSource source(image);
  NoProgress progress;
  ScatteredAllocator scattered(1, 2001, std::max<std::uint64_t>(longest_run, 1), 9);
  const ImageOptions options{
      .codec = kNone, .chunk_bytes = 4 * 4096, .early_writeout = {.millionths = millionths}};
  const auto written = bed.write(source, options, longest_run == 0 ? bed.allocator() : scattered, progress);
  EXPECT_TRUE(written);
  return {.events = device.events(), .stored_bytes = written ? written->image.stored_bytes : 0};
}

/// Where in the order of all calls the writeouts stand: chunks written before each.
std::vector<std::size_t> chunks_before_each_writeout(const Recorded& recorded) {
  std::vector<std::size_t> at;
  std::size_t chunks = 0;
  for (const auto& event : recorded.events) {
    if (event.call == Call::kWrite && event.ranges[0].length == 4 * 4096) ++chunks;
    if (event.call == Call::kStartWriteout) at.push_back(chunks);
  }
  return at;
}

TEST(EarlyWriteout, OffMeansOneFlushAtTheEnd) {
  const auto recorded = write_with(0);
  EXPECT_EQ(recorded.count(Call::kStartWriteout), 0U);
  EXPECT_EQ(recorded.count(Call::kFlush), 2U) << "data and map, then the image header";
}

TEST(EarlyWriteout, BeginsOncePerStep) {
  // Writes overlap, so that several may be under way when a step is complete: kDeviceRequests is 3.
  for (const auto& [millionths, steps] :
       {std::pair{10'000U, 100U}, {200'000U, 5U}, {1'000'000U, 1U}, {50'000U, 20U}}) {
    SCOPED_TRACE(millionths);
    const auto at = chunks_before_each_writeout(write_with(millionths));
    ASSERT_GE(at.size(), steps - steps / 10);
    ASSERT_LE(at.size(), steps);
    const double chunks_a_step = 200.0 / steps;
    for (std::size_t i = 0; i < at.size(); ++i) {
      // Step i ends with chunk (i+1) * chunks_a_step; at most 2 more can have been begun by then.
      EXPECT_GE(static_cast<double>(at[i]) + 0.01, static_cast<double>(i + 1) * chunks_a_step);
    }
  }
}

TEST(EarlyWriteout, ASmallStepBeginsWithEveryChunk) {
  const auto recorded = write_with(5'000);  // 0.5 % is one chunk
  EXPECT_GE(recorded.count(Call::kStartWriteout), 195U);
  EXPECT_LE(recorded.count(Call::kStartWriteout), 200U);
  EXPECT_LE(write_with(1).count(Call::kStartWriteout), 200U);
}

TEST(EarlyWriteout, EverythingIsAskedForExactlyOnceAndAfterItsWrite) {
  for (const std::uint64_t longest_run : {0U, 1U, 5U}) {
    for (const std::uint32_t millionths : {10'000U, 200'000U, 5'000U, 1'000'000U}) {
      SCOPED_TRACE(fmt::format("{} millionths, runs up to {}", millionths, longest_run));
      const auto recorded = write_with(millionths, longest_run);
      std::vector<int> asked(2001);
      std::vector<bool> written(2001);
      for (const auto& event : recorded.events) {
        for (const ByteRange& range : event.ranges) {
          for (std::uint64_t page = to_bytes(range.start) / 4096;
               page < (to_bytes(range.start) + range.length) / 4096; ++page) {
            if (event.call == Call::kWrite) written[page] = true;
            if (event.call == Call::kStartWriteout) ++asked[page];
          }
        }
      }
      std::uint64_t never = 0;
      for (std::size_t page = 1; page <= 2000; ++page) never += written[page] && asked[page] == 0 ? 1 : 0;
      // The header and the map are left to the flush; a step that the end of the image cuts short, too.
      EXPECT_LE(never, 1 + kPages / 100 + 10 + kPages * millionths / 1'000'000);
      EXPECT_EQ(asked[0], 0) << "the swap header";
      const std::size_t flushes_after_all = recorded.count(Call::kFlush);
      EXPECT_EQ(flushes_after_all, 2U);
    }
  }
}

TEST(EarlyWriteout, TheImageHeaderComesLastBetweenTwoFlushes) {
  for (const std::uint32_t millionths : {0U, 10'000U}) {
    const auto recorded = write_with(millionths);
    std::vector<RecordingBlockDevice::Event> tail;
    for (const auto& event : recorded.events) {
      if (event.call != Call::kStartWriteout && event.call != Call::kQuiesce) tail.push_back(event);
    }
    ASSERT_GE(tail.size(), 3U);
    const auto last = tail.end();
    EXPECT_EQ((last - 1)->call, Call::kFlush);
    EXPECT_EQ((last - 2)->call, Call::kWrite);
    EXPECT_EQ((last - 2)->ranges[0], (ByteRange{.start = DeviceOffset{4096}, .length = 4096}));
    EXPECT_EQ((last - 3)->call, Call::kFlush);
    EXPECT_EQ(recorded.events.back().call, Call::kQuiesce) << "helper threads must be gone before the thaw";
  }
}

TEST(EarlyWriteoutPolicy, JoinsNeighboursInAnyOrder) {
  EarlyWriteoutPolicy policy({.millionths = 1'000'000}, 40);
  policy.wrote({.start = DeviceOffset{20}, .length = 10}, 10);
  policy.wrote({.start = DeviceOffset{0}, .length = 10}, 10);
  policy.wrote({.start = DeviceOffset{30}, .length = 10}, 10);
  EXPECT_FALSE(policy.due());
  policy.wrote({.start = DeviceOffset{10}, .length = 10}, 10);
  ASSERT_TRUE(policy.due());
  std::array<ByteRange, EarlyWriteoutPolicy::kMaxRanges> out;
  std::uint64_t bytes = 0;
  for (const ByteRange& range : policy.take(out)) bytes += range.length;
  EXPECT_EQ(bytes, 40U);
  EXPECT_FALSE(policy.due());
}

TEST(EarlyWriteoutPolicy, ForgetsNothingWhereTheListIsFull) {
  EarlyWriteoutPolicy policy({.millionths = 1'000'000}, 1'000'000);
  const std::size_t many = 3 * EarlyWriteoutPolicy::kMaxRanges;
  for (std::size_t i = 0; i < many; ++i) policy.wrote({.start = DeviceOffset{100 * i}, .length = 10}, 1);
  ASSERT_TRUE(policy.due()) << "a full list is due early";
  std::array<ByteRange, EarlyWriteoutPolicy::kMaxRanges> out;
  const auto taken = policy.take(out);
  for (std::size_t i = 0; i < many; ++i) {
    EXPECT_TRUE(std::ranges::any_of(taken, [&](const ByteRange& r) {
      return to_bytes(r.start) <= 100 * i && 100 * i + 10 <= to_bytes(r.start) + r.length;
    })) << i;
  }
}

TEST(EarlyWriteoutPolicy, KeepsItsStepsForHugeAndTinyImages) {
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 60;
  EarlyWriteoutPolicy huge({.millionths = 10'000}, kHuge);
  huge.wrote({.start = DeviceOffset{0}, .length = 4096}, kHuge / 100 - 1);
  EXPECT_FALSE(huge.due());
  huge.wrote({.start = DeviceOffset{8192}, .length = 4096}, 1);
  EXPECT_TRUE(huge.due());
  EarlyWriteoutPolicy tiny({.millionths = 1}, 10);
  tiny.wrote({.start = DeviceOffset{0}, .length = 10}, 10);
  EXPECT_TRUE(tiny.due());
}

}  // namespace
}  // namespace dormouse::test
