#include "io/file_page_sink.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <future>

#include "base/aligned_buffer.h"
#include "support/faulty_system_calls.h"
#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPage = 4096;

class FilePageSinkTest : public ::testing::Test {
 protected:
  /// Pages named by letters, '0' for zeros.
  std::span<const std::byte> pages(std::string_view kinds) {
    buffer_ = AlignedBuffer::allocate(std::max<std::size_t>(1, kinds.size()) * kPage).value();
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const auto value = kinds[i] == '0' ? std::byte{0} : static_cast<std::byte>(kinds[i]);
      std::ranges::fill(buffer_.span().subspan(i * kPage, kPage), value);
    }
    return buffer_.span().first(kinds.size() * kPage);
  }
  static std::string text(std::string_view kinds) {
    std::string all;
    for (const char kind : kinds) all += std::string(kPage, kind == '0' ? '\0' : kind);
    return all;
  }
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(directory_.path()), fs::directory_iterator());
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_.file("out");
  FaultySystemCalls calls_;
  AlignedBuffer buffer_;
};

TEST_F(FilePageSinkTest, TheFileIsTheStreamZerosIncluded) {
  for (const std::string_view kinds : {"a", "0", "ab", "a0", "0a", "00", "a00b0c", "000a", "aa000"}) {
    auto sink = FilePageSink::open(path_, calls_);
    ASSERT_TRUE(sink) << sink.error().what();
    calls_.limit_transfers(1000);
    const auto half = kinds.size() / 2;
    ASSERT_TRUE((*sink)->write(pages(kinds.substr(0, half))));
    ASSERT_TRUE((*sink)->write(pages(kinds.substr(half))));
    ASSERT_TRUE((*sink)->finish());
    EXPECT_EQ(read_whole(path_), text(kinds)) << kinds;
  }
  EXPECT_EQ(files(), 1);
}

TEST_F(FilePageSinkTest, ZerosTakeNoRoom) {
  auto sink = FilePageSink::open(path_);
  ASSERT_TRUE(sink);
  const auto zeros = pages(std::string(256, '0'));
  for (int i = 0; i < 64; ++i) ASSERT_TRUE((*sink)->write(zeros));
  ASSERT_TRUE((*sink)->finish());
  struct stat status{};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_size, 64 << 20);
  EXPECT_LT(status.st_blocks * 512, 1 << 20);
  EXPECT_EQ(status.st_mode & 0777U, 0600U) << "an image holds secrets";
}

TEST_F(FilePageSinkTest, NothingAppearsBeforeFinish) {
  directory_.write("out", "old");
  {
    auto sink = FilePageSink::open(path_);
    ASSERT_TRUE(sink);
    ASSERT_TRUE((*sink)->write(pages("a")));
    EXPECT_EQ(read_whole(path_), "old");
  }
  EXPECT_EQ(read_whole(path_), "old");
  EXPECT_EQ(files(), 1) << "the temporary file is gone";
}

TEST_F(FilePageSinkTest, EveryFailureLeavesTheOldFile) {
  directory_.write("out", "old");
  bool fired = true;
  for (std::uint64_t call = 0; fired; ++call) {
    FaultySystemCalls calls;
    calls.faults().fail_call(call, EIO);
    auto sink = FilePageSink::open(path_, calls);
    bool ok = sink.has_value();
    ok = ok && (*sink)->write(pages("a0b"));
    ok = ok && (*sink)->finish();
    if (sink) sink->reset();
    fired = calls.faults().fired();
    const auto& names = calls.faults().calls();
    const bool renamed = calls.faults().count("rename") == 1 && !(fired && names.at(call) == "rename");
    EXPECT_TRUE(read_whole(path_) == (renamed ? text("a0b") : "old")) << "call " << call;
    if (fired && ok) {
      // Only close() of what is durable already may fail unseen.
      EXPECT_EQ(names.at(call), "close");
    }
    EXPECT_EQ(files(), 1) << "call " << call;
    directory_.write("out", "old");
  }
}

TEST_F(FilePageSinkTest, ALeftoverOfAKilledProcessIsNoObstacle) {
  calls_.faults().fail_name("open", EEXIST, 3);
  auto sink = FilePageSink::open(path_, calls_);
  ASSERT_TRUE(sink) << sink.error().what();
  calls_.faults().fail_name("open", EEXIST, 1000);
  EXPECT_EQ(FilePageSink::open(path_, calls_).error().errnum, EEXIST) << "but the search ends";
}

TEST_F(FilePageSinkTest, ALinkIsFollowedNotReplaced) {
  directory_.write("real", "old");
  fs::create_symlink("real", path_);
  auto sink = FilePageSink::open(path_);
  ASSERT_TRUE(sink);
  ASSERT_TRUE((*sink)->write(pages("a")));
  ASSERT_TRUE((*sink)->finish());
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(read_whole(directory_.file("real")), text("a"));
}

TEST_F(FilePageSinkTest, DevicesAndPipesAreWrittenDirectly) {
  auto null = FilePageSink::open("/dev/null");
  ASSERT_TRUE(null) << null.error().what();
  ASSERT_TRUE((*null)->write(pages("a0")));
  const auto finished = (*null)->finish();
  EXPECT_TRUE(finished) << finished.error().what();

  const auto fifo = directory_.file("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  auto reader = std::async(std::launch::async, [&fifo] { return read_whole(fifo); });
  {
    auto sink = FilePageSink::open(fifo);
    ASSERT_TRUE(sink);
    ASSERT_TRUE((*sink)->write(pages("a0b")));
    ASSERT_TRUE((*sink)->finish());
  }
  EXPECT_EQ(reader.get(), text("a0b"));
}

TEST_F(FilePageSinkTest, RefusesDirectoriesAndTornPages) {
  EXPECT_EQ(FilePageSink::open(directory_.path()).error().code, Errc::kUsage);
  EXPECT_EQ(FilePageSink::open(directory_.file("none/out")).error().errnum, ENOENT);
  auto sink = FilePageSink::open(path_);
  ASSERT_TRUE(sink);
  EXPECT_EQ((*sink)->write(pages("a").first(100)).error().code, Errc::kUsage);
}

}  // namespace
}  // namespace dormouse::test
