/// After the snapshot is taken nothing may be allocated: neither by us nor inside a codec's library.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <vector>

#include "dormouse/codec.h"

#include "base/prepared_thread.h"
#include "support/allocation_counter.h"
#include "support/page_patterns.h"

namespace dormouse {
namespace {

using test::AllocationCounter;
using test::PagePattern;

const std::vector<CodecSpec> kAll = {{CodecId::kStored, 0}, {CodecId::kLzf, 0},   {CodecId::kLz4, 1},
                                     {CodecId::kLz4, 64},   {CodecId::kZstd, -7}, {CodecId::kZstd, -1},
                                     {CodecId::kZstd, 1},   {CodecId::kZstd, 3},  {CodecId::kZstd, 7},
                                     {CodecId::kZstd, 13},  {CodecId::kZstd, 19}};

// Without this the tests below would prove nothing.
TEST(AllocationCounter, SeesTheHeap) {
  AllocationCounter allocations;
  void* volatile memory = std::malloc(10);
  std::free(memory);
  auto* volatile number = new int(1);
  delete number;
  EXPECT_EQ(allocations.count(), 2U);
}

TEST(CodecMemory, NothingIsAllocatedAfterCreation) {
  for (const CodecSpec spec : kAll) {
    for (const std::size_t chunk_bytes : {4096UL, 65536UL, 262144UL, 1048576UL}) {
      if (spec.level >= 13 && spec.id == CodecId::kZstd && chunk_bytes > 262144)
        continue;  // slow, and shows nothing new
      auto codec = make_codec(spec, chunk_bytes);
      ASSERT_TRUE(codec) << codec.error().what();
      std::vector<std::byte> packed(chunk_bytes + chunk_bytes / 8 + 64);
      std::vector<std::byte> unpacked(chunk_bytes);
      for (const PagePattern pattern : {PagePattern::kText, PagePattern::kRandom, PagePattern::kZero}) {
        const auto in = test::make_pattern(pattern, 1, chunk_bytes);
        const AllocationCounter allocations;
        // First a short last chunk, then a whole one: the context must be right for both.
        const auto first = (*codec)->pack(std::span(in).first(4096), packed);
        const auto size = (*codec)->pack(in, packed);
        const std::span<const std::byte> stored = size ? std::span<const std::byte>(packed).first(*size) : in;
        const auto damaged = (*codec)->unpack(std::span<const std::byte>(packed).first(100), unpacked);
        const auto sound = (*codec)->unpack(stored, unpacked);
        EXPECT_EQ(allocations.count(), 0U) << codec_name(spec.id) << ' ' << spec.level << ", " << chunk_bytes;
        EXPECT_EQ(first.has_value(), spec.id != CodecId::kStored);
        EXPECT_EQ(size.has_value(), spec.id != CodecId::kStored);
        EXPECT_TRUE(sound);
        EXPECT_FALSE(damaged);
        EXPECT_TRUE(unpacked == in);
      }
    }
  }
}

#ifdef DORMOUSE_COUNTS_PAGE_FAULTS  // a sanitizer's own memory faults in as well
struct Work {
  Codec* codec;
  std::span<const std::byte> in;
  std::span<std::byte> packed;
  std::span<std::byte> unpacked;
  long faults = -1;
};

void pack_and_count_faults(void* context) {
  auto& work = *static_cast<Work*>(context);
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_THREAD, &before);
  const auto size = work.codec->pack(work.in, work.packed);
  if (size) (void)work.codec->unpack(work.packed.first(*size), work.unpacked);
  getrusage(RUSAGE_THREAD, &after);
  work.faults = after.ru_minflt - before.ru_minflt;
}

// The workspaces are touched when they are made, and a prepared thread's stack holds liblzf's table. Pages of
// code that run for the first time still fault (the memory lock takes care of those), so each codec has run
// once before.
TEST(CodecMemory, PackingFaultsNoFreshMemoryIn) {
  constexpr std::size_t kChunk = 1 << 20;
  const auto in = test::make_mix(1, kChunk, {.zero = 1, .text = 2, .code = 2, .pointers = 2, .random = 0});
  std::vector<std::byte> packed(kChunk + kChunk / 8);
  std::vector<std::byte> unpacked(kChunk);
  for (const CodecSpec spec : kAll) {
    for (const bool counts : {false, true}) {
      auto codec = make_codec(spec, kChunk);
      ASSERT_TRUE(codec);
      auto thread = PreparedThread::prepare();
      ASSERT_TRUE(thread);
      Work work{codec->get(), in, packed, unpacked};
      ASSERT_TRUE(thread->start(pack_and_count_faults, &work));
      thread->join();
      // A few may come from the kernel's own doing; an untouched workspace or table would give a hundred.
      if (counts) {
        EXPECT_LT(work.faults, 16) << codec_name(spec.id) << ' ' << spec.level;
      }
    }
  }
}
#endif

}  // namespace
}  // namespace dormouse
