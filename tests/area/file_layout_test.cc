/// What the extents of a file come to, and each thing that a kernel would not swap on.
#include "area/file_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/fiemap.h>

#include <limits>
#include <vector>

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kPage = 4096;

Result<FileLayout> layout_of(std::uint64_t bytes, const std::vector<FileExtent>& extents,
                             std::uint32_t page_bytes = kPage) {
  FileLayoutCheck check("/swap", bytes, page_bytes);
  for (const auto& extent : extents) {
    if (auto r = check.add(extent); !r) return std::unexpected(r.error());
  }
  return check.finish();
}

Error error_of(std::uint64_t bytes, const std::vector<FileExtent>& extents,
               std::uint32_t page_bytes = kPage) {
  const auto layout = layout_of(bytes, extents, page_bytes);
  EXPECT_FALSE(layout);
  return layout ? Error{} : layout.error();
}

TEST(FileLayout, IsWhereTheFirstExtentBegins) {
  const auto layout = layout_of(3 * kPage, {{.file_at = 0, .device_at = 40960, .bytes = 3 * kPage}});
  ASSERT_TRUE(layout) << layout.error().what();
  EXPECT_EQ(layout->start, 40960U);
  EXPECT_EQ(layout->first_run_bytes, 3 * kPage);
  EXPECT_EQ(layout->extents, 1U);
}

TEST(FileLayout, CountsOnlyRunsThatLieApart) {
  const auto layout = layout_of(4 * kPage, {{.file_at = 0, .device_at = 8 * kPage, .bytes = kPage},
                                            {.file_at = kPage, .device_at = 9 * kPage, .bytes = kPage},
                                            {.file_at = 2 * kPage, .device_at = kPage, .bytes = kPage},
                                            {.file_at = 3 * kPage, .device_at = 10 * kPage, .bytes = kPage}});
  ASSERT_TRUE(layout) << layout.error().what();
  EXPECT_EQ(layout->start, 8 * kPage);
  EXPECT_EQ(layout->first_run_bytes, 2 * kPage);
  EXPECT_EQ(layout->extents, 3U);
}

TEST(FileLayout, TakesPlacesThatNeedAllSixtyFourBits) {
  constexpr std::uint64_t kFar = (std::uint64_t{1} << 63U) + 4096;
  const auto layout = layout_of(kPage, {{.file_at = 0, .device_at = kFar, .bytes = kPage}});
  ASSERT_TRUE(layout) << layout.error().what();
  EXPECT_EQ(layout->start, kFar);
}

TEST(FileLayout, NeedsNothingBehindTheLastWholePage) {
  EXPECT_TRUE(layout_of(kPage + 100, {{.file_at = 0, .device_at = kPage, .bytes = kPage}}));
  EXPECT_TRUE(layout_of(kPage, {{.file_at = 0, .device_at = kPage, .bytes = 8 * kPage}}));
}

TEST(FileLayout, RefusesHolesWithTheirPlace) {
  struct Case {
    std::vector<FileExtent> extents;
    std::uint64_t hole;
  };
  const std::vector<Case> cases = {{{}, 0},
                                   {{{.file_at = kPage, .device_at = kPage, .bytes = 3 * kPage}}, 0},
                                   {{{.file_at = 0, .device_at = kPage, .bytes = kPage},
                                     {.file_at = 2 * kPage, .device_at = 8 * kPage, .bytes = 2 * kPage}},
                                    kPage},
                                   {{{.file_at = 0, .device_at = kPage, .bytes = 3 * kPage}}, 3 * kPage}};
  for (const auto& one : cases) {
    const Error error = error_of(4 * kPage, one.extents);
    EXPECT_EQ(error.code, Errc::kImpossible);
    EXPECT_EQ(error.offset, one.hole);
    EXPECT_THAT(error.what(), HasSubstr("locate swap file on /swap at byte"));
    EXPECT_THAT(error.what(), HasSubstr("there is a hole"));
    EXPECT_THAT(error.what(), HasSubstr("fallocate -l 16384"));
  }
}

TEST(FileLayout, RefusesDataWithoutAPlaceOfItsOwn) {
  struct Case {
    std::uint32_t flags;
    const char* words;
  };
  const std::vector<Case> cases = {
      {FIEMAP_EXTENT_UNKNOWN, "not given it a place yet"},
      {FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_UNKNOWN, "not given it a place yet"},
      {FIEMAP_EXTENT_ENCODED, "compressed or otherwise encoded"},
      {FIEMAP_EXTENT_DATA_ENCRYPTED | FIEMAP_EXTENT_ENCODED, "the file system encrypts it"},
      {FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_NOT_ALIGNED, "among the metadata"},
      {FIEMAP_EXTENT_DATA_TAIL | FIEMAP_EXTENT_NOT_ALIGNED, "among the metadata"},
      {FIEMAP_EXTENT_NOT_ALIGNED, "whole blocks"},
      {FIEMAP_EXTENT_SHARED | FIEMAP_EXTENT_LAST, "another file or a snapshot shares"}};
  for (const auto& one : cases) {
    const Error error =
        error_of(2 * kPage, {{.file_at = 0, .device_at = kPage, .bytes = kPage},
                             {.file_at = kPage, .device_at = 2 * kPage, .bytes = kPage, .flags = one.flags}});
    EXPECT_EQ(error.code, Errc::kImpossible) << one.words;
    EXPECT_EQ(error.offset, kPage) << one.words;
    EXPECT_THAT(error.what(), HasSubstr(one.words));
  }
}

TEST(FileLayout, TakesWhatFallocateMadeAndNobodyWroteYet) {
  EXPECT_TRUE(
      layout_of(kPage, {{.file_at = 0,
                         .device_at = kPage,
                         .bytes = kPage,
                         .flags = FIEMAP_EXTENT_UNWRITTEN | FIEMAP_EXTENT_MERGED | FIEMAP_EXTENT_LAST}}));
}

TEST(FileLayout, RefusesAStartThatTheKernelWouldRoundUp) {
  const Error error = error_of(2 * kPage, {{.file_at = 0, .device_at = 1024, .bytes = 2 * kPage}});
  EXPECT_EQ(error.code, Errc::kImpossible);
  EXPECT_THAT(error.what(), HasSubstr("its first page lies at byte 1024 of the device"));
  // What is a page here is none where pages are larger.
  const std::vector<FileExtent> extents = {{.file_at = 0, .device_at = kPage, .bytes = 65536}};
  EXPECT_TRUE(layout_of(65536, extents));
  EXPECT_EQ(error_of(65536, extents, 65536).code, Errc::kImpossible);
}

TEST(FileLayout, RefusesAFirstPageInPieces) {
  const Error error = error_of(2 * kPage, {{.file_at = 0, .device_at = kPage, .bytes = 1024},
                                           {.file_at = 1024, .device_at = 8 * kPage, .bytes = 7168}});
  EXPECT_EQ(error.code, Errc::kImpossible);
  EXPECT_THAT(error.what(), HasSubstr("1024 bytes of it in one piece"));
}

TEST(FileLayout, RefusesAFileSmallerThanAPage) {
  for (const std::uint64_t bytes : {0U, 1U, 4095U}) {
    const Error error = error_of(bytes, {});
    EXPECT_EQ(error.code, Errc::kImpossible);
    EXPECT_THAT(error.what(), HasSubstr("smaller than a page of 4096 bytes"));
  }
}

TEST(FileLayout, RefusesExtentsThatCannotBe) {
  constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
  const FileExtent first{.file_at = 0, .device_at = kPage, .bytes = kPage};
  const std::vector<FileExtent> wrong = {
      {.file_at = kPage, .device_at = kPage, .bytes = 0},
      {.file_at = kPage, .device_at = kPage, .bytes = kMax},
      {.file_at = kPage, .device_at = kMax - 4095, .bytes = 8192},
      {.file_at = 0, .device_at = kPage, .bytes = 4 * kPage},
  };
  for (const auto& extent : wrong) {
    const Error error = error_of(4 * kPage, {first, extent});
    EXPECT_EQ(error.code, Errc::kIo);
    EXPECT_THAT(error.what(), HasSubstr("which cannot be"));
  }
}

}  // namespace
}  // namespace dormouse::test
