/// The table of devices in f2fs's superblock: by hand, and as mkfs.f2fs writes it.
#include "area/f2fs_devices.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

std::vector<std::byte> head_of(const std::string& path) {
  std::string text(kF2fsHeadBytes, '\0');
  std::ifstream(path, std::ios::binary).read(text.data(), kF2fsHeadBytes);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

TEST(F2fsDevices, AreFoundInWhatMkfsWrites) {
  if (std::system("PATH=$PATH:/usr/sbin:/sbin command -v mkfs.f2fs >/dev/null") != 0) {
    ASSERT_EQ(std::getenv("CI"), nullptr) << "CI must have mkfs.f2fs";
    GTEST_SKIP() << "mkfs.f2fs is not installed";
  }
  const TemporaryDirectory directory;
  const auto alone = directory.sparse("alone", 100 << 20);
  const auto first = directory.sparse("first", 100 << 20);
  const auto second = directory.sparse("second", 100 << 20);
  const std::string mkfs = "PATH=$PATH:/usr/sbin:/sbin mkfs.f2fs -f -q ";
  ASSERT_EQ(std::system((mkfs + alone + " >/dev/null 2>&1").c_str()), 0);
  ASSERT_EQ(std::system((mkfs + "-c " + second + " " + first + " >/dev/null 2>&1").c_str()), 0);
  EXPECT_FALSE(f2fs_has_several_devices(head_of(alone)));
  auto head = head_of(first);
  EXPECT_TRUE(f2fs_has_several_devices(head));
  head[1024] ^= std::byte{1};
  EXPECT_FALSE(f2fs_has_several_devices(head)) << "that is no f2fs";
}

TEST(F2fsDevices, AreNotLookedForBehindTheEnd) {
  for (const std::size_t size : {0U, 1024U, 1028U, 3225U, 3360U}) {
    EXPECT_FALSE(f2fs_has_several_devices(std::vector<std::byte>(size, std::byte{0xff})));
  }
}

}  // namespace
}  // namespace dormouse::test
