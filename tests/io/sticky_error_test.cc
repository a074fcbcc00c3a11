#include "io/sticky_error.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace dormouse {
namespace {

TEST(StickyError, KeepsTheFirst) {
  StickyError sticky;
  EXPECT_TRUE(sticky.check());
  EXPECT_EQ(sticky.keep(fail(Errc::kIo, "first").error()).operation, "first");
  EXPECT_EQ(sticky.keep(fail(Errc::kNoSpace, "second").error()).operation, "first");
  EXPECT_EQ(sticky.check().error().code, Errc::kIo);
}

TEST(StickyError, AllThreadsSeeTheSameFirst) {
  StickyError sticky;
  std::vector<std::thread> threads;
  std::vector<std::uint64_t> seen(4);
  for (std::uint64_t t = 0; t < seen.size(); ++t) {
    threads.emplace_back([&, t] {
      while (sticky.check()) sticky.note(fail(Errc::kIo, "race").at(t).error());
      seen[t] = sticky.check().error().offset;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(seen, std::vector<std::uint64_t>(4, seen[0]));
}

}  // namespace
}  // namespace dormouse
