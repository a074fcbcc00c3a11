#include "boot/initramfs_archive.h"

#include <gmock/gmock.h>

#include <cerrno>
#include <fstream>
#include <map>

#include "boot/packers.h"
#include "support/newc_writer.h"
#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

struct Seen {
  std::vector<std::string> paths;
  std::map<std::string, std::string> texts;
};

Result<Seen> walk(const std::string& path) {
  Seen seen;
  const auto done =
      walk_initramfs(path, {.wants = [](const CpioEntry& entry) { return entry.path.starts_with("etc/"); },
                            .takes =
                                [&](const CpioEntry& entry, std::string text) {
                                  seen.paths.push_back(entry.path);
                                  if (!text.empty()) seen.texts[entry.path] = std::move(text);
                                }});
  if (!done) return std::unexpected(done.error());
  return seen;
}

std::string microcode() {
  return NewcWriter()
      .directory("kernel")
      .add("kernel/x86/microcode/x.bin", std::string(5000, '\x90'))
      .finish();
}

/// Enough of it that every packer has several blocks.
std::string main_archive() {
  NewcWriter writer;
  writer.directory(".").directory("./etc").add("./etc/suspend.conf", "image size = 1G\n");
  std::string noise;
  std::uint32_t state = 7;
  for (int i = 0; i < 300'000; ++i) {
    state = state * 1664525 + 1013904223;
    noise += static_cast<char>(state >> 24);
  }
  return writer.add("/bin/busybox", noise, 0100755).add("etc/hostname", "box").finish();
}

class InitramfsArchive : public ::testing::TestWithParam<std::string> {
 protected:
  TemporaryDirectory directory_;
};

TEST_P(InitramfsArchive, MicrocodeFirstThenThePackedOne) {
  const auto path = directory_.write("initrd", microcode() + pack(GetParam(), main_archive()));
  const auto seen = walk(path);
  ASSERT_TRUE(seen) << seen.error().what();
  EXPECT_THAT(seen->paths, ElementsAre("kernel", "kernel/x86/microcode/x.bin", ".", "etc", "etc/suspend.conf",
                                       "bin/busybox", "etc/hostname"));
  EXPECT_THAT(seen->texts,
              ElementsAre(Pair("etc/hostname", "box"), Pair("etc/suspend.conf", "image size = 1G\n")));
}

TEST_P(InitramfsArchive, CutShortItIsDamagedAndTheByteIsNamed) {
  const std::string whole = microcode() + pack(GetParam(), main_archive());
  const auto path = directory_.write("initrd", std::string_view(whole).substr(0, whole.size() * 2 / 3));
  const auto seen = walk(path);
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().code, Errc::kCorrupt);
  EXPECT_THAT(seen.error().what(), HasSubstr(path));
  EXPECT_THAT(seen.error().what(), HasSubstr("byte "));
}

INSTANTIATE_TEST_SUITE_P(Packed, InitramfsArchive, ::testing::ValuesIn(packer_names()),
                         [](const auto& param) { return param.param; });

class InitramfsFile : public ::testing::Test {
 protected:
  TemporaryDirectory directory_;
};

TEST_F(InitramfsFile, SeveralPlainArchivesWithZerosBetween) {
  const auto path = directory_.write(
      "initrd", microcode() + std::string(1024, '\0') + main_archive() + std::string(7, '\0'));
  const auto seen = walk(path);
  ASSERT_TRUE(seen) << seen.error().what();
  EXPECT_EQ(seen->paths.size(), 7U);
}

TEST_F(InitramfsFile, ArchivesOneAfterTheOtherInOnePackedStream) {
  const auto path = directory_.write("initrd", pack("gzip", microcode() + main_archive()));
  const auto seen = walk(path);
  ASSERT_TRUE(seen) << seen.error().what();
  EXPECT_EQ(seen->paths.size(), 7U);
}

TEST_F(InitramfsFile, CutAnywhereInAPlainArchiveItIsDamagedOrLacksOnlyTheEnd) {
  const std::string whole = NewcWriter().add("etc/a", "some text").add("etc/b", "more").finish();
  for (std::size_t bytes = 1; bytes < whole.size(); ++bytes) {
    const auto seen = walk(directory_.write("initrd", std::string_view(whole).substr(0, bytes)));
    if (seen) {
      // Between two entries nothing shows that one is missing: the kernel does not mind either.
      EXPECT_TRUE(seen->paths.size() < 2 || seen->texts.at("etc/b") == "more") << bytes;
    } else {
      EXPECT_EQ(seen.error().code, Errc::kCorrupt) << bytes;
    }
  }
}

TEST_F(InitramfsFile, NeitherCpioNorPacked) {
  const auto seen =
      walk(directory_.write("initrd", "#!/bin/sh\necho not an initramfs\n" + std::string(400, 'x')));
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().code, Errc::kCorrupt);
}

TEST_F(InitramfsFile, AnEntryThatClaimsMoreThanThereIs) {
  std::string bytes = NewcWriter().add("etc/a", "text").finish();
  bytes.replace(6 + 6 * 8, 8, "FFFFFFFF");  // the size of the first
  EXPECT_EQ(walk(directory_.write("initrd", bytes)).error().code, Errc::kCorrupt);
  EXPECT_EQ(walk(directory_.write("initrd", pack("zstd", bytes))).error().code, Errc::kCorrupt);
}

TEST_F(InitramfsFile, AnImpossibleName) {
  std::string bytes = NewcWriter().add("etc/a", "text").finish();
  bytes.replace(6 + 11 * 8, 8, "7FFFFFFF");
  EXPECT_EQ(walk(directory_.write("initrd", pack("gzip", bytes))).error().code, Errc::kCorrupt);
  bytes.replace(6 + 11 * 8, 8, "00000000");
  EXPECT_EQ(walk(directory_.write("initrd", bytes)).error().code, Errc::kCorrupt);
}

TEST_F(InitramfsFile, AWantedFileThatIsTooLarge) {
  const auto seen = walk(directory_.write(
      "initrd", NewcWriter().add("etc/huge", std::string(kMaxInitramfsText + 1, 'a')).finish()));
  ASSERT_FALSE(seen);
  EXPECT_THAT(seen.error().what(), HasSubstr("too large"));
}

TEST_F(InitramfsFile, MissingAndEmptyFiles) {
  const auto missing = walk(directory_.file("none"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().errnum, ENOENT);
  EXPECT_EQ(walk(directory_.write("initrd", "")).error().code, Errc::kCorrupt);
  EXPECT_EQ(walk(directory_.path().string()).error().code, Errc::kCorrupt);
}

}  // namespace
}  // namespace dormouse::test
