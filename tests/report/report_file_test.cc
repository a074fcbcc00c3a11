#include "report/report_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/unique_fd.h"

namespace dormouse {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ReportFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "report_file_test.XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { fs::remove_all(directory_); }

  [[nodiscard]] std::string path(std::string_view name) const { return (directory_ / name).string(); }
  [[nodiscard]] static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(directory_), fs::directory_iterator());
  }

  fs::path directory_;
};

TEST_F(ReportFile, IsMade) {
  ASSERT_TRUE(write_report_file(path("report"), "one\n"));
  EXPECT_EQ(content(path("report")), "one\n");
  EXPECT_EQ(files(), 1);
}

TEST_F(ReportFile, IsReplacedAndNotRewritten) {
  ASSERT_TRUE(write_report_file(path("report"), "a long first report\n"));
  std::ifstream reader(path("report"));  // who has it open goes on seeing the old one
  ASSERT_TRUE(write_report_file(path("report"), "second\n"));
  EXPECT_EQ(content(path("report")), "second\n");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "a long first report\n");
  EXPECT_EQ(files(), 1);
}

TEST_F(ReportFile, FollowsASymbolicLink) {
  ASSERT_TRUE(write_report_file(path("real"), "old\n"));
  fs::create_symlink("real", path("link"));
  ASSERT_TRUE(write_report_file(path("link"), "new\n"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content(path("real")), "new\n");
}

TEST_F(ReportFile, MayHaveANameWithoutDirectory) {
  const auto before = fs::current_path();
  fs::current_path(directory_);
  EXPECT_TRUE(write_report_file("report", "here\n"));
  fs::current_path(before);
  EXPECT_EQ(content(path("report")), "here\n");
}

TEST_F(ReportFile, NamesTheMissingDirectory) {
  const auto written = write_report_file(path("no/report"), "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::kIo);
  EXPECT_THAT(written.error().what(), HasSubstr("create a temporary file for the report on " + path("no/")));
  EXPECT_THAT(written.error().what(), HasSubstr("No such file or directory"));
}

TEST_F(ReportFile, IsNoDirectoryAndHasAName) {
  const auto written = write_report_file(directory_.string(), "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::kUsage);
  EXPECT_THAT(written.error().what(), HasSubstr("it is not a regular file"));
  EXPECT_EQ(write_report_file("", "x").error().code, Errc::kUsage);
}

TEST_F(ReportFile, NeverReplacesADevice) {
  ASSERT_TRUE(write_report_file("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  const auto full = write_report_file("/dev/full", "x");
  ASSERT_FALSE(full);
  EXPECT_TRUE(full.error().what().starts_with("write the report on /dev/full: No space left on device: "));
}

TEST_F(ReportFile, GoesIntoAFifoThatSomebodyReads) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  const auto lonely = write_report_file(path("fifo"), "x");  // does not wait for a reader
  ASSERT_FALSE(lonely);
  EXPECT_EQ(lonely.error().errnum, ENXIO);

  const UniqueFd reader(::open(path("fifo").c_str(), O_RDONLY | O_NONBLOCK));
  ASSERT_TRUE(write_report_file(path("fifo"), "through"));
  std::array<char, 16> got{};
  EXPECT_EQ(::read(reader.get(), got.data(), got.size()), 7);
}

}  // namespace
}  // namespace dormouse
