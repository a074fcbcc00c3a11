#include "kernel/active_swaps.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;
using Kind = ActiveSwap::Kind;

constexpr std::string_view kSwaps =
    "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
    "/dev/dm-1                               partition\t8388604\t\t1024\t\t-2\n"
    "/var/swap\\040file\\134x                 file\t\t1048572\t\t0\t\t5\n"
    "/old\\040(deleted)                        file\t\t4\t\t0\t\t-3\n";

TEST(ActiveSwaps, AreReadWithEscapesUndoneAndByPriority) {
  const auto swaps = parse_swaps(kSwaps);
  ASSERT_TRUE(swaps) << swaps.error().what();
  ASSERT_EQ(swaps->size(), 3U);
  EXPECT_EQ(swaps->at(0), (ActiveSwap{"/var/swap file\\x", Kind::kFile, 1048572U * 1024, 0, 5, 0}));
  EXPECT_EQ(swaps->at(1), (ActiveSwap{"/dev/dm-1", Kind::kPartition, 8388604ULL * 1024, 1024 * 1024, -2, 0}));
  EXPECT_EQ(swaps->at(2).path, "/old (deleted)");
}

TEST(ActiveSwaps, NoneIsNoError) {
  EXPECT_TRUE(parse_swaps("")->empty());
  EXPECT_TRUE(parse_swaps("Filename\tType\tSize\tUsed\tPriority\n")->empty());
}

TEST(ActiveSwaps, ALineThatIsNotUnderstoodIsShown) {
  for (const std::string line :
       {"/dev/sda2 partition 12", "/dev/sda2 tape 1 2 3", "/dev/sda2 file x 0 1", "/a file 1 0 1x"}) {
    const auto swaps = parse_swaps("Filename\n" + line + "\n");
    ASSERT_FALSE(swaps) << line;
    EXPECT_THAT(swaps.error().what(), HasSubstr(line));
  }
}

TEST(ActiveSwaps, AFileIsOnTheDeviceOfItsFileSystem) {
  const TemporaryDirectory root;
  const auto file = root.write("swapfile", "");
  root.write("proc/swaps", "Filename\n" + file + " file 4 0 -2\n/dev/nowhere partition 4 0 -3\n");
  const auto swaps = read_active_swaps({.proc = root.file("proc"), .sys = "", .dev = root.file("dev")});
  ASSERT_TRUE(swaps) << swaps.error().what();
  struct stat status{};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(swaps->at(0).device, status.st_dev);
  EXPECT_EQ(swaps->at(1).device, 0U);
  EXPECT_EQ(read_active_swaps({.proc = "/none"}).error().errnum, ENOENT);
}

TEST(ActiveSwaps, ThisMachinesCanBeRead) {
  EXPECT_TRUE(read_active_swaps());
}

}  // namespace
}  // namespace dormouse::test
