#include "seal/locked_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <set>
#include <thread>

#include "seal/gcrypt_start.h"
#include "support/memory_scan.h"

namespace dormouse::test {
namespace {

bool is(const void* piece, std::size_t bytes, int value) {
  const auto* at = static_cast<const unsigned char*>(piece);
  return std::all_of(at, at + bytes, [&](unsigned char b) { return b == value; });
}

TEST(LockedPool, GivesLockedMemoryThatNoDumpHolds) {
  LockedPool pool;
  void* piece = pool.allocate(100);
  ASSERT_NE(piece, nullptr);
  const std::string flags = mapping_flags(piece);
  EXPECT_NE(flags.find("dd "), std::string::npos) << flags;
#ifdef DORMOUSE_LOOKS_THROUGH_MEMORY  // sanitizers make mlock() do nothing
  EXPECT_NE(flags.find("lo "), std::string::npos) << flags;
#endif
  EXPECT_GE(pool.piece_bytes(piece), 100U);
  EXPECT_EQ(pool.piece_bytes(static_cast<char*>(piece) + 99), pool.piece_bytes(piece));
}

TEST(LockedPool, OverwritesWhatIsGivenBack) {
  LockedPool pool;
  void* piece = pool.allocate(1000);
  void* neighbour = pool.allocate(1000);
  std::memset(piece, 0x5a, 1000);
  std::memset(neighbour, 0x77, 1000);
  EXPECT_TRUE(pool.release(piece));
  EXPECT_TRUE(is(piece, 1000, 0));
  EXPECT_TRUE(is(neighbour, 1000, 0x77));
  EXPECT_EQ(pool.piece_bytes(piece), 0U);
}

TEST(LockedPool, KnowsWhatIsNotItsOwn) {
  LockedPool pool;
  int other = 1;
  EXPECT_FALSE(pool.release(&other));
  EXPECT_FALSE(pool.release(nullptr));
  EXPECT_EQ(pool.piece_bytes(&other), 0U);
  EXPECT_EQ(other, 1);
}

TEST(LockedPool, GivesLargePiecesPagesOfTheirOwnAndTakesThemBack) {
  LockedPool pool;
  constexpr std::size_t kBytes = std::size_t{8} << 20;
  void* piece = pool.allocate(kBytes);
  ASSERT_NE(piece, nullptr);
  std::memset(piece, 1, kBytes);
  EXPECT_NE(mapping_flags(piece).find("dd "), std::string::npos);
  EXPECT_EQ(pool.piece_bytes(static_cast<char*>(piece) + 12345), kBytes);
  EXPECT_TRUE(pool.release(piece));
  EXPECT_EQ(pool.piece_bytes(piece), 0U);
  EXPECT_EQ(mapping_flags(piece), "") << "it is still mapped";
}

TEST(LockedPool, PiecesOfAllSizesNeverOverlap) {
  struct Piece {
    void* place;
    std::size_t bytes;
    int value;
  };
  LockedPool pool;
  std::mt19937 random(1);
  std::vector<Piece> pieces;
  for (int i = 0; i < 3000; ++i) {
    if (pieces.empty() || random() % 5 < 3) {
      const std::size_t bytes = random() % 10 == 0 ? random() % 32000 : random() % 600;
      const int value = 1 + static_cast<int>(random() % 255);
      void* place = pool.allocate(bytes);
      ASSERT_NE(place, nullptr);
      EXPECT_TRUE(is(place, bytes, 0)) << "memory that was used before";
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(place) % 64, 0U);
      std::memset(place, value, bytes);
      pieces.push_back({place, bytes, value});
    } else {
      std::swap(pieces[random() % pieces.size()], pieces.back());
      const Piece piece = pieces.back();
      pieces.pop_back();
      ASSERT_TRUE(is(piece.place, piece.bytes, piece.value));
      ASSERT_TRUE(pool.release(piece.place));
    }
  }
}

TEST(LockedPool, ReservesSoThatTheNextPieceLocksNothingMore) {
  LockedPool pool;
  std::set<void*> blocks;
  const auto block_of = [](void* piece) {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(piece) / LockedPool::kBlockBytes);
  };
  void* almost_all = pool.allocate(LockedPool::kLargeBytes - 64);
  void* more = pool.allocate(LockedPool::kLargeBytes - 64);
  ASSERT_TRUE(almost_all != nullptr && more != nullptr);
  ASSERT_TRUE(pool.reserve(10000));
  blocks.insert(block_of(pool.allocate(10000)));
  for (int i = 0; i < 4; ++i) blocks.insert(block_of(pool.allocate(1000)));
  EXPECT_LE(blocks.size(), 2U);
}

TEST(LockedPool, AChildSeesZerosAndCanAllocate) {
  LockedPool pool;
  void* piece = pool.allocate(100);
  std::memset(piece, 0x5a, 100);
  const pid_t child = fork();
  if (child == 0) {
    void* own = pool.allocate(50);
    const bool right =
        is(piece, 100, 0) && own != nullptr && own != piece && pool.release(own) && pool.release(piece);
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(is(piece, 100, 0x5a));
}

TEST(LockedPool, ServesManyThreads) {
  LockedPool pool;
  std::array<bool, 4> right{};
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < right.size(); ++t) {
      threads.emplace_back([&, t] {
        bool all = true;
        for (std::size_t i = 0; i < 500; ++i) {
          void* piece = pool.allocate(1 + i);
          std::memset(piece, static_cast<int>(t + 1), 1 + i);
          all = all && is(piece, 1 + i, static_cast<int>(t + 1)) && pool.release(piece);
        }
        right[t] = all;
      });
    }
  }
  EXPECT_EQ(std::ranges::count(right, true), 4);
}

/// Gives back what it has when static objects are destroyed.
struct GivesBackLate {
  void* piece = nullptr;
  ~GivesBackLate() {
    if (!gcrypt_pool().release(piece)) ::_exit(9);
  }
};

// libgcrypt's own pieces may come back as late.
TEST(LockedPoolDeathTest, OutlivesEveryStaticObject) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static GivesBackLate late;  // made before the pool, so destroyed after it
        late.piece = gcrypt_pool().allocate(100);
        std::exit(late.piece != nullptr ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace dormouse::test
