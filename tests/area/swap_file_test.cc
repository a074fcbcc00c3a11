/// Swap files on real file systems: found, refused, and every system call on the way failing.
#include "area/swap_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/btrfs.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "area/mounted_image.h"
#include "base/aligned_buffer.h"
#include "base/unique_fd.h"
#include "support/faulty_system_calls.h"
#include "support/forwarding_system_calls.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kPage = 4096;

Error error_of(const std::string& path) {
  const auto place = locate_swap_file(path, kPage);
  EXPECT_FALSE(place) << path;
  return place ? Error{} : place.error();
}

TEST(SwapFileName, ThatLeadsToNoRegularFileIsAMistakeOfTheUser) {
  const TemporaryDirectory directory;
  const Error missing = error_of(directory.file("missing"));
  EXPECT_EQ(missing.code, Errc::kUsage);
  EXPECT_THAT(missing.what(), HasSubstr("No such file or directory"));
  const Error no_file = error_of(directory.path());
  EXPECT_EQ(no_file.code, Errc::kUsage);
  EXPECT_THAT(no_file.what(), HasSubstr("it is a directory"));
  EXPECT_THAT(error_of("/dev/null").what(), HasSubstr("it is a character device"));
  ASSERT_EQ(::mkfifo(directory.file("fifo").c_str(), 0600), 0);
  EXPECT_THAT(error_of(directory.file("fifo")).what(), HasSubstr("it is a pipe"));
}

TEST(SwapFileName, OnAFileSystemWithoutPlacesIsRefusedByItsName) {
  const Error error = error_of("/proc/version");
  EXPECT_EQ(error.code, Errc::kImpossible);
  EXPECT_THAT(error.what(), HasSubstr("it is on proc, where the place of a file cannot be told"));
}

std::string_view name_ioctl(unsigned long request) {
  switch (request) {
    case FS_IOC_FIEMAP:
      return "FS_IOC_FIEMAP";
    case FS_IOC_GETFLAGS:
      return "FS_IOC_GETFLAGS";
    case FS_IOC_FSGETXATTR:
      return "FS_IOC_FSGETXATTR";
    case BTRFS_IOC_INO_LOOKUP:
      return "BTRFS_IOC_INO_LOOKUP";
    case BTRFS_IOC_TREE_SEARCH:
      return "BTRFS_IOC_TREE_SEARCH";
    case BTRFS_IOC_DEV_INFO:
      return "BTRFS_IOC_DEV_INFO";
    default:
      return "ioctl";
  }
}

/// Two files that grow in turn, a block each.
bool take_turns(const std::string& file, const std::string& neighbour) {
  constexpr std::size_t kBlock = 8192;
  const auto zeros = AlignedBuffer::allocate(kBlock).value();
  if (!run_shell("touch " + file + " " + neighbour + " && { chattr +C " + file + " " + neighbour +
                 " || :; }"))
    return false;
  for (off_t i = 0; i < 400; ++i) {
    for (const auto& path : {file, neighbour}) {
      const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC));
      if (::pwrite(fd.get(), zeros.data(), kBlock, i * off_t{kBlock}) != ssize_t{kBlock}) return false;
    }
  }
  return true;
}

/// A file in the gaps of another that fills the file system: ext4 reserves too much for turns to tell.
bool fill_gaps(const std::string& file, const std::string& filler) {
  constexpr off_t kBlock = 8192;
  // What ext4 keeps back would be taken for the file after all.
  if (!run_shell("mount=$(stat -c %m " + std::filesystem::path(file).parent_path().string() +
                 ") && echo 0 >/sys/fs/ext4/$(basename $(findmnt -no SOURCE $mount))/reserved_clusters"))
    return false;
  const UniqueFd full(::open(filler.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  off_t size = 0;
  for (off_t piece = off_t{1} << 30U; piece >= 4096;) {
    if (::fallocate(full.get(), 0, size, piece) == 0)
      size += piece;
    else
      piece /= 2;
  }
  // The map of the gaps needs blocks, too; they are free once that is on the disk.
  if (::ftruncate(full.get(), size - (off_t{1} << 20U)) != 0 || ::fsync(full.get()) != 0) return false;
  for (off_t i = 0; i < 600; ++i) {
    if (::fallocate(full.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 2 * i * kBlock, kBlock) != 0)
      return false;
  }
  return run_shell("sync; fallocate -l 4M " + file);
}

class SwapFile : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!image_.mounted()) {
      ASSERT_EQ(std::getenv("CI"), nullptr) << "CI must be able to mount " << GetParam();
      GTEST_SKIP() << "no file system could be made and mounted (root, loop devices, mkfs needed)";
    }
    ASSERT_TRUE(run_shell("touch " + file_ + " && { [ " + GetParam() + " != btrfs ] || chattr +C " + file_ +
                          "; } && fallocate -l 4M " + file_ + " && mkswap " + file_ + " && sync"));
    calls_.name_ioctls(&name_ioctl);
  }
  Result<SwapFilePlace> locate(std::uint32_t page_bytes = kPage) {
    return locate_swap_file(file_, page_bytes, {.calls = calls_});
  }

  MountedImage image_{GetParam()};
  std::string file_ = image_.file("swap");
  FaultySystemCalls calls_;
};

TEST_P(SwapFile, IsFoundWithAllThatIsToBeKnown) {
  const auto place = locate();
  ASSERT_TRUE(place) << place.error().what();
  EXPECT_EQ(place->file, file_);
  EXPECT_EQ(place->file_system, GetParam());
  EXPECT_EQ(place->size_bytes, 4U << 20U);
  EXPECT_EQ(place->extents, 1U);
  EXPECT_THAT(place->device_path, HasSubstr("/dev/loop"));
  EXPECT_EQ(place->device_number >> 8U, 7U) << "the major number of loop devices";
  EXPECT_GT(place->header_page, 0U);
}

TEST_P(SwapFile, GivesAnErrorWithStepAndObjectWhicheverCallFails) {
  for (const int errnum : {EIO, EPERM, ENOMEM, ENOTTY}) {
    std::uint64_t failures = 0;
    for (std::uint64_t call = 0;; ++call) {
      FaultySystemCalls calls;
      calls.refuse_rings();
      calls.faults().fail_call(call, errnum);
      const auto place = locate_swap_file(file_, kPage, {.calls = calls});
      if (!calls.faults().fired()) {
        ASSERT_TRUE(place) << place.error().what();
        break;
      }
      const auto name = calls.faults().calls().at(call);
      // What was read is read when the descriptor is given back.
      if (place) {
        EXPECT_EQ(name, "close") << "call " << call << " failed, and nobody noticed";
        continue;
      }
      ++failures;
      const auto said = place.error().what();
      EXPECT_EQ(place.error().errnum, errnum) << said;
      EXPECT_FALSE(place.error().operation.empty()) << said;
      EXPECT_FALSE(place.error().object.empty()) << said;
      EXPECT_THAT(said, ::testing::Not(HasSubstr("Success")));
    }
    EXPECT_GE(failures, 5U) << "open, FIEMAP, open, size, read";
  }
}

TEST_P(SwapFile, IsFoundAlthoughSignalsComeInBetween) {
  for (const std::string_view name : {"open", "FS_IOC_FIEMAP", "pread", "BTRFS_IOC_TREE_SEARCH"}) {
    calls_.faults().fail_name(name, EINTR, 2);
    EXPECT_TRUE(locate()) << name;
  }
}

TEST_P(SwapFile, InHundredsOfPiecesIsAskedForInParts) {
  ASSERT_TRUE(run_shell("rm " + file_));
  ASSERT_TRUE(GetParam() == "ext4" ? fill_gaps(file_, image_.file("filler"))
                                   : take_turns(file_, image_.file("other")));
  ASSERT_TRUE(run_shell("mkswap " + file_ + " && sync"));
  const auto before = calls_.faults().count("FS_IOC_FIEMAP");
  const auto place = locate();
  ASSERT_TRUE(place) << place.error().what();
  EXPECT_GT(place->extents, 300U);
  EXPECT_GE(calls_.faults().count("FS_IOC_FIEMAP") - before, 3U);
}

TEST_P(SwapFile, WithoutASignatureIsNotBelieved) {
  ASSERT_TRUE(run_shell("dd if=/dev/zero of=" + file_ + " bs=4096 count=1 conv=notrunc,fsync"));
  const auto place = locate();
  ASSERT_FALSE(place);
  EXPECT_EQ(place.error().code, Errc::kImpossible);
  EXPECT_NE(place.error().offset, Error::kNoOffset);
  EXPECT_THAT(place.error().what(), HasSubstr("prove place of swap file"));
  EXPECT_THAT(place.error().what(), HasSubstr("run mkswap on it"));
}

TEST_P(SwapFile, WithAnImageInItIsFoundAsWell) {
  for (const std::string_view mark : {"S1SUSPEND\\0", "ULSUSPEND\\0", "LINHIB0001"}) {
    ASSERT_TRUE(run_shell("printf '" + std::string(mark) + "' | dd of=" + file_ +
                          " bs=1 seek=4086 conv=notrunc,fsync"));
    EXPECT_TRUE(locate()) << mark;
  }
}

TEST_P(SwapFile, MadeForOtherPagesOrOnceLargerIsRefused) {
  ASSERT_TRUE(run_shell("truncate -s 1M " + file_));
  auto place = locate();
  ASSERT_FALSE(place);
  EXPECT_THAT(place.error().what(), HasSubstr("the file has only 256 pages: run mkswap again"));
  ASSERT_TRUE(run_shell("dd if=/dev/zero of=" + file_ + " bs=4096 count=1 conv=notrunc && mkswap -p 16384 " +
                        file_ + " && sync"));
  place = locate();
  ASSERT_FALSE(place);
  EXPECT_THAT(place.error().what(),
              HasSubstr("made for pages of 16384 bytes, this kernel has pages of 4096"));
}

TEST_P(SwapFile, WithAHoleIsRefused) {
  ASSERT_TRUE(run_shell("fallocate -p -o 1M -l 64K " + file_));
  const auto place = locate();
  ASSERT_FALSE(place);
  EXPECT_EQ(place.error().code, Errc::kImpossible);
  EXPECT_EQ(place.error().offset, 1U << 20U);
  EXPECT_THAT(place.error().what(), HasSubstr("there is a hole"));
}

/// Says that every file is on the realtime device: not every kernel has those.
class RealtimeCalls final : public ForwardingSystemCalls {
 public:
  int ioctl(int fd, unsigned long request, std::uintptr_t argument) override {
    const int status = ForwardingSystemCalls::ioctl(fd, request, argument);
    if (request == FS_IOC_FSGETXATTR) reinterpret_cast<fsxattr*>(argument)->fsx_xflags |= FS_XFLAG_REALTIME;
    return status;
  }
};

TEST_P(SwapFile, OnTheRealtimeDeviceOfAnXfsIsRefused) {
  RealtimeCalls realtime;
  const auto place = locate_swap_file(file_, kPage, {.calls = realtime});
  ASSERT_EQ(place.has_value(), GetParam() != "xfs");
  if (GetParam() != "xfs") return;
  EXPECT_THAT(place.error().what(), HasSubstr("it is on the realtime device of its XFS"));
}

// This kernel may lack some of them; which ones are tested stands in the names.
INSTANTIATE_TEST_SUITE_P(On, SwapFile, ::testing::ValuesIn(mountable({"ext4", "xfs", "btrfs", "f2fs"})),
                         [](const auto& info) { return info.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SwapFile);

}  // namespace
}  // namespace dormouse::test
