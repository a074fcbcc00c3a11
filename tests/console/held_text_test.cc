#include "console/held_text.h"

#include <gtest/gtest.h>

#include <random>

namespace dormouse {
namespace {

std::string drain(HeldText& held, std::size_t at_most_each = 1'000'000) {
  std::string text;
  for (auto front = held.front(); !front.empty(); front = held.front()) {
    const auto piece = front.substr(0, at_most_each);
    text += piece;
    held.pop(piece.size());
  }
  EXPECT_TRUE(held.empty());
  return text;
}

HeldText make(std::size_t capacity_bytes) {
  return std::move(*HeldText::allocate(capacity_bytes));
}

TEST(HeldText, GivesBackWhatItTook) {
  auto held = make(64);
  EXPECT_TRUE(held.empty());
  EXPECT_EQ(held.front(), "");
  held.append("one\n");
  held.append("two\n");
  EXPECT_FALSE(held.empty());
  EXPECT_EQ(drain(held), "one\ntwo\n");
}

TEST(HeldText, HoldsItsWholeCapacity) {
  auto held = make(16);
  held.append("0123456789abcdef");
  EXPECT_EQ(held.dropped_bytes(), 0U);
  EXPECT_EQ(drain(held), "0123456789abcdef");
}

TEST(HeldText, KeepsTheFirstAndTheLast) {
  auto held = make(24);
  held.append("first line\n");  // 11 of 12 bytes
  held.append("in between\n");  // begins in the first part, the rest goes
  held.append("more between\n");
  held.append("the end\n");
  EXPECT_EQ(drain(held), "first line\ni\n[... 23 bytes left out ...]\nthe end\n");
}

TEST(HeldText, CutsALineThatIsLongerThanItsEnd) {
  auto held = make(8);
  held.append("abcdefghijklmnop");
  EXPECT_EQ(drain(held), "abcd\n[... 8 bytes left out ...]\nmnop");
}

TEST(HeldText, BeginsAnewOnceEmpty) {
  auto held = make(8);
  for (int round = 0; round < 3; ++round) {
    held.append("abcdefghijkl");
    EXPECT_EQ(held.dropped_bytes(), 4U);
    EXPECT_EQ(drain(held), "abcd\n[... 4 bytes left out ...]\nijkl");
    EXPECT_EQ(held.dropped_bytes(), 0U);
  }
}

TEST(HeldText, StaysInOrderWhenPartOfItWasTaken) {
  auto held = make(16);
  held.append("0123456789");  // 8 + 2
  held.pop(4);
  held.append("ab");  // not into the room that became free at the front
  EXPECT_EQ(drain(held, 3), "456789ab");
}

TEST(HeldText, SaysAgainWhatIsLostAfterTheFirstNotice) {
  auto held = make(8);
  held.append("abcdefghijkl");
  held.pop(held.front().size());
  while (held.front() != "ijkl") held.pop(held.front().size());
  held.append("mnop");
  EXPECT_EQ(drain(held), "\n[... 4 bytes left out ...]\nmnop");
}

TEST(HeldText, WithoutMemoryDropsAll) {
  HeldText held;
  held.append("text");
  EXPECT_TRUE(held.empty());
  EXPECT_EQ(held.dropped_bytes(), 4U);
}

TEST(HeldText, LosesNothingItDoesNotCount) {
  std::mt19937 random(1);
  auto held = make(64);
  std::uint64_t appended = 0;
  std::uint64_t taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text(random() % 40, 'x');  // no newline: no line is torn off at a notice
    const auto dropped_before = held.dropped_bytes();
    held.append(text);
    appended += text.size() - (held.dropped_bytes() - dropped_before);
    const auto front = held.front();
    if (front.empty() || random() % 3 == 0) continue;
    const auto take = 1 + random() % front.size();
    if (front[0] == 'x') taken += take;
    held.pop(take);
  }
  for (auto front = held.front(); !front.empty(); front = held.front()) {
    if (front[0] == 'x') taken += front.size();
    held.pop(front.size());
  }
  EXPECT_EQ(taken, appended);
}

}  // namespace
}  // namespace dormouse
