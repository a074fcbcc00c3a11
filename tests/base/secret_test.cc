#include "dormouse/secret.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <type_traits>

#include "support/allocation_counter.h"
#include "support/memory_scan.h"

namespace dormouse::test {
namespace {

bool is_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

/// The exit code of `body` in a child process.
template <class Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Secret, IsZeroAndOfTheSizeAskedFor) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{32}, std::size_t{4096}, std::size_t{4097}}) {
    const auto secret = Secret::allocate(bytes);
    ASSERT_TRUE(secret) << secret.error().what();
    EXPECT_EQ(secret->size(), bytes);
    EXPECT_TRUE(is_zero(secret->span()));
  }
  EXPECT_TRUE(Secret().empty());
}

TEST(Secret, IsLeftOutOfCoreDumps) {
  const auto secret = Secret::allocate(5000).value();
  for (const auto* place : {secret.span().data(), secret.span().data() + 4999})
    EXPECT_NE(mapping_flags(place).find("dd "), std::string::npos);
}

#ifdef DORMOUSE_LOCKS_MEMORY
TEST(Secret, IsLocked) {
  const auto secret = Secret::allocate(5000).value();
  for (const auto* place : {secret.span().data(), secret.span().data() + 4999})
    EXPECT_NE(mapping_flags(place).find("lo "), std::string::npos);
}

TEST(Secret, IsRefusedWhereItMayNotBeLocked) {
  const int code = in_child([] {
    const rlimit nothing{.rlim_cur = 0, .rlim_max = 0};
    if (setrlimit(RLIMIT_MEMLOCK, &nothing) != 0) return 2;
    if (getuid() == 0 && setuid(65534) != 0) return 3;  // the limit does not count for root
    const auto secret = Secret::allocate(32);
    return !secret && secret.error().code == Errc::kNoMemory &&
                   secret.error().what().find("ulimit -l") != std::string::npos
               ? 0
               : 1;
  });
  EXPECT_EQ(code, 0);
}
#endif

TEST(Secret, IsNotInheritedByAChild) {
  auto secret = Secret::allocate(100).value();
  std::ranges::fill(secret.span(), std::byte{0x5a});
  EXPECT_EQ(in_child([&] { return is_zero(secret.span()) ? 0 : 1; }), 0);
  EXPECT_EQ(secret.span()[99], std::byte{0x5a});
}

TEST(Secret, WipesAllOrTheRestWithoutAllocating) {
  auto secret = Secret::allocate(100).value();
  const auto all = secret.span();
  std::ranges::fill(all, std::byte{0x5a});
  const AllocationCounter allocations;
  secret.shrink(60);
  EXPECT_EQ(secret.size(), 60U);
  EXPECT_EQ(all[59], std::byte{0x5a});
  EXPECT_TRUE(is_zero(all.subspan(60)));
  secret.wipe();
  EXPECT_EQ(secret.size(), 60U);
  EXPECT_TRUE(is_zero(all));
  EXPECT_EQ(allocations.count(), 0U);
}

TEST(Secret, MovesAndEmptiesItsSource) {
  static_assert(!std::is_copy_constructible_v<Secret> && !std::is_copy_assignable_v<Secret>);
  auto first = Secret::allocate(10).value();
  const std::byte* memory = first.span().data();
  Secret second(std::move(first));
  EXPECT_EQ(second.span().data(), memory);
  Secret third = Secret::allocate(10).value();
  third = std::move(second);
  EXPECT_EQ(third.span().data(), memory);
  third = Secret();
  EXPECT_TRUE(third.empty());
  third.wipe();
  third.shrink(0);
}

TEST(Secret, SaysHowMuchWasAskedForWhereThereIsNone) {
  const auto secret = Secret::allocate(std::size_t{1} << 61);
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().code, Errc::kNoMemory);
  EXPECT_NE(secret.error().what().find("2305843009213693952"), std::string::npos);
}

}  // namespace
}  // namespace dormouse::test
