/// The conversation with the file system, of which one answer holds a part, or what no file system should
/// say.
#include "area/file_extents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/fiemap.h>
#include <linux/fs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "support/forwarding_system_calls.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kPage = 4096;

/// Answers FS_IOC_FIEMAP from a list, `per_answer` at a time.
class FakeFile final : public ForwardingSystemCalls {
 public:
  std::vector<fiemap_extent> extents;
  std::uint32_t per_answer = 100000;
  std::uint32_t claimed_more = 0;  // so many extents more than there are in an answer
  int calls = 0;
  std::uint64_t size_bytes = 0;

  int ioctl(int, unsigned long request, std::uintptr_t argument) override {
    if (request != FS_IOC_FIEMAP) return -ENOTTY;
    ++calls;
    auto* answer = reinterpret_cast<char*>(argument);
    fiemap header{};
    std::memcpy(&header, answer, sizeof header);
    EXPECT_EQ(header.fm_flags, unsigned{FIEMAP_FLAG_SYNC});
    header.fm_mapped_extents = 0;
    for (const auto& extent : extents) {
      if (extent.fe_logical + extent.fe_length <= header.fm_start) continue;
      if (header.fm_mapped_extents == std::min(per_answer, header.fm_extent_count)) break;
      std::memcpy(answer + sizeof header + header.fm_mapped_extents * sizeof extent, &extent, sizeof extent);
      ++header.fm_mapped_extents;
    }
    header.fm_mapped_extents += claimed_more;
    std::memcpy(answer, &header, sizeof header);
    return 0;
  }
  /// `count` pages, each apart from the one before.
  void scatter(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      fiemap_extent extent{};
      extent.fe_logical = i * kPage;
      extent.fe_physical = (std::uint64_t{1} << 43U) + 2 * i * kPage;
      extent.fe_length = kPage;
      extents.push_back(extent);
    }
    extents.back().fe_flags = FIEMAP_EXTENT_LAST;
    size_bytes = count * kPage;
  }
  Result<FileLayout> layout() {
    const ProbedFile file{.path = "/swap", .size_bytes = size_bytes, .page_bytes = kPage, .calls = this};
    return read_file_layout(file);
  }
};

TEST(FileExtents, AreAskedForUntilTheLastHasCome) {
  for (const std::uint32_t per_answer : {1U, 2U, 7U, 128U, 100000U}) {
    FakeFile file;
    file.scatter(1000);
    file.per_answer = per_answer;
    const auto layout = file.layout();
    ASSERT_TRUE(layout) << layout.error().what();
    EXPECT_EQ(layout->extents, 1000U) << per_answer;
    EXPECT_EQ(layout->start, std::uint64_t{1} << 43U);
    EXPECT_GE(file.calls, 8);
  }
}

TEST(FileExtents, AreNeverReadBehindTheAnswer) {
  FakeFile file;
  file.scatter(128);
  file.claimed_more = 0xffffff00U;
  EXPECT_TRUE(file.layout());
}

TEST(FileExtents, ThatEndTooEarlyLeaveAHole) {
  for (const bool marked : {true, false}) {
    FakeFile file;
    file.scatter(10);
    file.extents[4].fe_flags = marked ? FIEMAP_EXTENT_LAST : 0;
    if (!marked) file.extents.resize(5);
    const auto layout = file.layout();
    ASSERT_FALSE(layout);
    EXPECT_EQ(layout.error().offset, 5U * kPage);
    EXPECT_THAT(layout.error().what(), HasSubstr("there is a hole"));
  }
}

TEST(FileExtents, ThatLeadNowhereEndTheConversation) {
  FakeFile file;
  file.scatter(10);
  file.extents[3].fe_logical = 0;
  file.extents[3].fe_length = 20 * kPage;
  file.per_answer = 1;
  EXPECT_FALSE(file.layout());
  EXPECT_LT(file.calls, 20);
}

TEST(FileExtents, OfAFileSystemThatDoesNotTellAreImpossible) {
  class Mute final : public ForwardingSystemCalls {
    int ioctl(int, unsigned long, std::uintptr_t) override { return -EOPNOTSUPP; }
  } mute;
  const ProbedFile file{.path = "/swap", .size_bytes = kPage, .page_bytes = kPage, .calls = &mute};
  const auto layout = read_file_layout(file);
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().code, Errc::kImpossible);
  EXPECT_THAT(layout.error().what(),
              HasSubstr("FS_IOC_FIEMAP on /swap: Operation not supported: this file system"));
}

}  // namespace
}  // namespace dormouse::test
