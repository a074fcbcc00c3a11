#include "io/file_page_source.h"

#include <gmock/gmock.h>

#include "base/aligned_buffer.h"
#include "support/faulty_system_calls.h"
#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kPage = 4096;

class FilePageSourceTest : public ::testing::Test {
 protected:
  TemporaryDirectory directory_;
  FaultySystemCalls calls_;
  AlignedBuffer buffer_ = AlignedBuffer::allocate(4 * kPage).value();
};

TEST_F(FilePageSourceTest, GivesAllPagesInOrder) {
  const auto path = directory_.write("stream", std::string(5 * kPage, 'a') + std::string(kPage, 'b'));
  calls_.limit_transfers(1000);
  calls_.faults().fail_name("pread", EINTR, 2);
  auto source = FilePageSource::open(path, kPage, calls_);
  ASSERT_TRUE(source) << source.error().what();
  EXPECT_EQ((*source)->total_pages(), 6U);
  EXPECT_EQ((*source)->read(buffer_.span()).value(), 4 * kPage);
  EXPECT_EQ((*source)->read(buffer_.span()).value(), 2 * kPage);
  EXPECT_EQ(buffer_.span()[kPage], std::byte{'b'});
  EXPECT_EQ((*source)->read(buffer_.span()).value(), 0U);
  EXPECT_EQ((*source)->read(buffer_.span()).value(), 0U);
}

TEST_F(FilePageSourceTest, TornPagesAreRefusedWithNumbers) {
  const auto source = FilePageSource::open(directory_.write("torn", std::string(kPage + 7, 'a')), kPage);
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, Errc::kUsage);
  EXPECT_THAT(source.error().what(), HasSubstr("4103 bytes"));
  EXPECT_THAT(source.error().what(), HasSubstr("7 remain"));
  EXPECT_EQ(FilePageSource::open(directory_.write("empty", ""), kPage).error().code, Errc::kUsage);
}

TEST_F(FilePageSourceTest, AStreamOfUnknownLengthIsRefused) {
  EXPECT_EQ(FilePageSource::open("/dev/zero", kPage).error().code, Errc::kUsage);
  EXPECT_EQ(FilePageSource::open(directory_.path(), kPage).error().code, Errc::kUsage);
  EXPECT_EQ(FilePageSource::open(directory_.file("none"), kPage).error().errnum, ENOENT);
}

TEST_F(FilePageSourceTest, AFileThatShrinksIsAnError) {
  const auto path = directory_.sparse("stream", 4 * kPage);
  auto source = FilePageSource::open(path, kPage);
  ASSERT_TRUE(source);
  std::filesystem::resize_file(path, kPage);
  const auto r = (*source)->read(buffer_.span());
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().offset, kPage);
}

TEST_F(FilePageSourceTest, ErrorsNameTheirPlace) {
  auto source = FilePageSource::open(directory_.sparse("stream", 8 * kPage), kPage, calls_);
  ASSERT_TRUE(source);
  ASSERT_TRUE((*source)->read(buffer_.span()));
  calls_.faults().fail_name("pread", EIO);
  const auto r = (*source)->read(buffer_.span());
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().offset, 4 * kPage);
  EXPECT_EQ((*source)->read(buffer_.span().first(1)).error().code, Errc::kUsage);
}

}  // namespace
}  // namespace dormouse::test
