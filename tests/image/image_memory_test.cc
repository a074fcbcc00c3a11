/// Memory is taken by prepare(), stated, and does not grow with the image.
#include <gtest/gtest.h>
#include <malloc.h>

#include "base/prepared_thread.h"
#include "image/chunk_transfers.h"
#include "image/image_bed.h"
#include "image/seal_bed.h"
#include "support/allocation_counter.h"
#include "support/page_patterns.h"

namespace dormouse::test {
namespace {

// The C library allocates one small vector (the dynamic thread vector) for every thread it starts, on
// whatever stack. That is all that may be allocated: as many as there are threads.
void expect_no_allocation(ImageSeal* seal) {
  for (const std::uint64_t pages : {30U, 1500U}) {
    const auto image = make_mix(3, pages * 4096);
    const SwapShape shape{.last_page = 3500};
    MemoryBlockDevice disk = make_swap_disk(shape);
    ImageBed bed(disk, shape);
    constexpr unsigned kThreads = 2;
    constexpr unsigned kOtherThreads = 2 + kDeviceThreads;  // glibc keeps a little for each
    auto writer =
        ImageWriter::prepare({.codec = kZstd, .chunk_bytes = 16 * 4096, .threads = kThreads}, 4096, seal);
    auto reader = ImageReader::prepare(16 * 4096, kThreads, 0,
                                       seal != nullptr ? std::optional(seal->cipher()) : std::nullopt);
    ASSERT_TRUE(writer && reader);
    MemoryPageSource source(image);
    MemoryPageSink sink(image.size());
    NoProgress progress;
    std::uint64_t allocations = 0;
    Result<WrittenImage> written = fail(Errc::kIo, "not yet written");
    Result<TransferFigures> read = fail(Errc::kIo, "not yet read");
    {
      const AllocationCounter counter;
      written = bed.write_with(*writer, source, bed.allocator(), progress);
      allocations = counter.count();
    }
    ASSERT_TRUE(written) << written.error().what();
    EXPECT_LE(allocations, kThreads + kOtherThreads) << "write, " << pages << " pages";
    {
      const AllocationCounter counter;
      auto opened = reader->open(disk, written->header_at, bed.bounds());
      if (opened && seal != nullptr) opened = reader->unlock(*seal);
      if (opened) read = reader->read(sink, progress);
      if (read) (void)reader->note_attempt();
      if (read) (void)reader->note_read(*read);
      if (read) (void)reader->note_state(ResumeState::kJumping);
      allocations = counter.count();
    }
    ASSERT_TRUE(read);
    EXPECT_LE(allocations, kThreads + kOtherThreads) << "read, " << pages << " pages";
    EXPECT_TRUE(sink.pages() == image);
  }
}

TEST(ImageMemory, NothingIsAllocatedWhileWritingOrReading) {
  expect_no_allocation(nullptr);
}

/// Keys are drawn and slots wrapped after the snapshot, too.
TEST(ImageMemory, NothingIsAllocatedWhileSealingOrOpening) {
  for (const Cipher cipher : kCiphers) {
    auto seal = make_seal(cipher);
    must(seal.add_passphrase(bytes_of(kPassphrase), kCheap));
    must(seal.add_key_file(must(KeyFile::generate(bytes_of(kPassphrase), kCheap))));
    expect_no_allocation(&seal);
  }
}

TEST(ImageMemory, IsStatedAndBoundedBySlots) {
  const ImageOptions options{.codec = kLz4, .chunk_bytes = 256 * 1024, .threads = 2};
  const auto writer = ImageWriter::prepare(options, 4096);
  ASSERT_TRUE(writer);
  // A buffer for each slot and each worker, stacks, and what the places of the chunks take.
  constexpr std::uint64_t kSlotBytes = (ring_slots(2, kDeviceRequests) + 2) * 256 * 1024;
  constexpr std::uint64_t kStacks = (2 + 2 + kDeviceThreads) * PreparedThread::kStackBytes;
  static_assert(kSlotBytes <= 6U << 20);
  EXPECT_GE(writer->memory_bytes(), kSlotBytes + kStacks);
  EXPECT_LE(writer->memory_bytes(), kSlotBytes + kStacks + (2U << 20));
  const auto reader = ImageReader::prepare(256 * 1024, 2);
  ASSERT_TRUE(reader);
  EXPECT_GE(reader->memory_bytes(), kSlotBytes + kStacks);
  EXPECT_LE(reader->memory_bytes(), kSlotBytes + kStacks + (2U << 20));
}

}  // namespace
}  // namespace dormouse::test
