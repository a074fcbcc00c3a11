/// The disk that loses its power is itself held to what a disk may do.
#include "support/cut_disk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/aligned_buffer.h"

namespace dormouse::test {
namespace {

using Kind = Arrival::Kind;

LoggedCall write_of(char fill, std::uint64_t page, unsigned handle = 0) {
  return {.kind = LoggedCall::Kind::kWrite,
          .handle = handle,
          .offset = page * 4096,
          .data = std::vector<std::byte>(4096, static_cast<std::byte>(fill))};
}
LoggedCall flush_of(unsigned handle = 0) {
  return {.kind = LoggedCall::Kind::kFlush, .handle = handle};
}

/// Four pages, of which page 1 is watched.
struct CutDiskTest : ::testing::Test {
  MemoryBlockDevice before{4 * 4096};
  CutDisk disk{before, {.start = DeviceOffset{4096}, .length = 4096}};

  /// First bytes of the sectors of a page, in the state chosen: '.' is 0.
  std::string page(std::uint64_t number) {
    std::string text;
    for (std::uint64_t at = number * 4096; at < (number + 1) * 4096; at += kSectorBytes) {
      const auto value = std::to_integer<char>(disk.medium().bytes()[at]);
      text += value == 0 ? '.' : value;
    }
    return text;
  }
  std::string watched() {
    std::string text;
    for (std::size_t at = 0; at < 4096; at += kSectorBytes) {
      const auto value = std::to_integer<char>(disk.watched()[at]);
      text += value == 0 ? '.' : value;
    }
    return text;
  }
  /// All that page 1 may hold.
  std::set<std::string> outcomes() {
    std::set<std::string> all;
    for (const Arrival& arrival : disk.arrivals({}, 1)) {
      disk.choose(arrival);
      EXPECT_EQ(watched(), page(1)) << arrival.text();
      all.insert(page(1));
    }
    return all;
  }
};

TEST_F(CutDiskTest, AFlushedWriteStaysWhateverHappens) {
  const auto write = write_of('a', 1);
  const auto flush = flush_of();
  disk.take(write);
  disk.take(flush);
  EXPECT_EQ(disk.unflushed(), 0U);
  EXPECT_THAT(outcomes(), ::testing::ElementsAre("aaaaaaaa"));
}

TEST_F(CutDiskTest, AnUnflushedPageArrivesInEveryWayThereIs) {
  const auto write = write_of('a', 1);
  disk.take(write);
  EXPECT_EQ(outcomes().size(), 256U);
}

TEST_F(CutDiskTest, OfSeveralWritesEachIsKeptLostAndTornAtEverySector) {
  const auto write = write_of('a', 1);
  const auto other = write_of('b', 2);
  disk.take(write);
  disk.take(other);
  std::set<std::string> found;
  for (const Arrival& arrival : disk.arrivals({}, 1)) {
    disk.choose(arrival);
    found.insert(page(1) + page(2));
  }
  const std::string all_a(8, 'a');
  const std::string all_b(8, 'b');
  const std::string none(8, '.');
  EXPECT_THAT(found, ::testing::IsSupersetOf({none + none, all_a + all_b, all_a + none, none + all_b}));
  for (std::size_t sector = 1; sector < 8; ++sector) {
    const std::string head = std::string(sector, 'a') + std::string(8 - sector, '.');
    const std::string tail = std::string(sector, '.') + std::string(8 - sector, 'a');
    EXPECT_THAT(found, ::testing::IsSupersetOf({head + none, tail + none, head + all_b})) << sector;
  }
  EXPECT_GT(found.size(), 4U + 3 * 14) << "and in seeded ways";
}

TEST_F(CutDiskTest, WritesArriveInAnyOrderButTheLaterOneWinsItsSectors) {
  const auto first = write_of('a', 1);
  const auto other = write_of('b', 2);
  const auto second = write_of('c', 1);
  disk.take(first);
  disk.take(other);
  disk.take(second);
  disk.choose({.kind = Kind::kEverything});
  EXPECT_EQ(page(1), "cccccccc");
  disk.choose({.kind = Kind::kWriteOnly, .write = 2});
  EXPECT_EQ(page(1) + page(2), "cccccccc........");
  disk.choose({.kind = Kind::kWriteMissing, .write = 2});
  EXPECT_EQ(page(1) + page(2), "aaaaaaaabbbbbbbb");
  disk.choose({.kind = Kind::kTailMissing, .write = 2, .sector = 3});
  EXPECT_EQ(page(1) + page(2), "cccaaaaabbbbbbbb");
  disk.choose({.kind = Kind::kHeadOnly, .write = 2, .sector = 3});
  EXPECT_EQ(page(1) + page(2), "ccc.............");
}

TEST_F(CutDiskTest, AFlushIsForItsOwnHandleAndOneThatIsForgottenForNone) {
  const auto first = write_of('a', 1, 0);
  const auto second = write_of('b', 2, 1);
  const auto flush = flush_of(1);
  auto forgotten = flush_of(0);
  forgotten.forgotten = true;
  auto failed = flush_of(0);
  failed.succeeded = false;
  disk.take(first);
  disk.take(second);
  disk.take(flush);
  disk.take(forgotten);
  disk.take(failed);
  disk.choose({.kind = Kind::kNothing});
  EXPECT_EQ(page(1) + page(2), "........bbbbbbbb");
}

TEST_F(CutDiskTest, WhatWasOverwrittenDurablyDoesNotComeBack) {
  const auto first = write_of('a', 1, 0);
  const auto second = write_of('b', 1, 1);
  const auto flush_second = flush_of(1);
  const auto flush_first = flush_of(0);
  disk.take(first);
  disk.take(second);
  disk.take(flush_second);
  EXPECT_THAT(outcomes(), ::testing::ElementsAre("bbbbbbbb"));
  disk.take(flush_first);
  EXPECT_THAT(outcomes(), ::testing::ElementsAre("bbbbbbbb"));
}

TEST_F(CutDiskTest, AFailedWriteMayHaveArrivedUntilItIsOverwritten) {
  auto failed = write_of('a', 1);
  failed.succeeded = false;
  const auto flush = flush_of();
  const auto second = write_of('b', 1);
  disk.take(failed);
  disk.take(flush);
  EXPECT_TRUE(outcomes().contains("aaaaaaaa"));
  EXPECT_TRUE(outcomes().contains("........"));
  disk.take(second);
  disk.take(flush);
  EXPECT_THAT(outcomes(), ::testing::ElementsAre("bbbbbbbb"));
}

TEST_F(CutDiskTest, DigestsTellMediaApart) {
  const auto write = write_of('a', 1);
  const auto again = write_of('a', 1);
  disk.take(write);
  disk.take(again);
  disk.choose({.kind = Kind::kNothing});
  const Digest nothing = disk.digest();
  disk.choose({.kind = Kind::kWriteOnly, .write = 0});
  const Digest first = disk.digest();
  EXPECT_NE(first, nothing);
  disk.choose({.kind = Kind::kWriteOnly, .write = 1});
  EXPECT_EQ(disk.digest(), first) << "the same content by another way";
  disk.choose({.kind = Kind::kTailOnly, .write = 1, .sector = 7});
  EXPECT_NE(disk.digest(), first);
}

TEST_F(CutDiskTest, TheSameSeedTriesTheSame) {
  std::vector<LoggedCall> writes;
  for (std::uint64_t i = 0; i < 100; ++i) writes.push_back(write_of('a', i % 4));
  for (const auto& write : writes) disk.take(write);
  const auto texts = [&](std::uint64_t seed) {
    std::vector<std::string> all;
    for (const Arrival& arrival : disk.arrivals({}, seed)) all.push_back(arrival.text());
    return all;
  };
  EXPECT_EQ(texts(1), texts(1));
  EXPECT_NE(texts(1), texts(2));
  EXPECT_GT(texts(1).size(), 100U);
}

TEST(WriteLog, NotesWritesFlushesAndFailuresOfAllHandlesUntilItIsClosed) {
  MemoryBlockDevice medium(4 * 4096);
  WriteLog log;
  WriteLogDevice data(medium, log, 0);
  WriteLogDevice header(medium, log, 1);
  auto buffer = AlignedBuffer::allocate(4096);
  ASSERT_TRUE(buffer);
  ASSERT_TRUE(data.write(DeviceOffset{4096}, buffer->span()));
  ASSERT_FALSE(header.write(DeviceOffset{4 * 4096}, buffer->span())) << "outside: touches nothing";
  ASSERT_TRUE(header.flush());
  log.pass("here");
  log.close();
  ASSERT_TRUE(data.flush());
  ASSERT_EQ(log.calls().size(), 3U);
  EXPECT_EQ(log.calls()[0].kind, LoggedCall::Kind::kWrite);
  EXPECT_EQ(log.calls()[0].end(), 2U * 4096);
  EXPECT_EQ(log.calls()[1].kind, LoggedCall::Kind::kFlush);
  EXPECT_EQ(log.calls()[1].handle, 1U);
  EXPECT_EQ(log.calls()[2].landmark, "here");
  EXPECT_EQ(log.writes(), 1U);
}

}  // namespace
}  // namespace dormouse::test
