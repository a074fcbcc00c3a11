#include "io/file_page_source.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace dormouse {
namespace {

constexpr std::string_view kOpen = "open snapshot stream";
constexpr std::string_view kRead = "read snapshot stream";

}  // namespace

Result<std::unique_ptr<FilePageSource>> FilePageSource::open(std::string path, std::uint32_t page_bytes,
                                                             SystemCalls& calls) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return fail(Errc::kIo, kOpen).os(errno).on(path);
  if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode)) {
    return fail(Errc::kUsage, kOpen)
        .on(path)
        .because("a regular file or a block device is needed: its size must be known before it is read");
  }
  std::unique_ptr<FilePageSource> source(new FilePageSource(std::move(path), page_bytes, calls));
  const int fd = calls.open(source->path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
  if (fd < 0) return fail(Errc::kIo, kOpen).os(-fd).on(source->path_);
  source->file_ = OpenFile(calls, fd);

  auto& size = source->size_bytes_;
  if (S_ISBLK(status.st_mode)) {
    if (const int r = calls.ioctl(fd, BLKGETSIZE64, reinterpret_cast<std::uintptr_t>(&size)); r < 0) {
      return fail(Errc::kIo, "BLKGETSIZE64").os(-r).on(source->path_);
    }
  } else {
    if (::fstat(fd, &status) != 0) return fail(Errc::kIo, kOpen).os(errno).on(source->path_);
    size = static_cast<std::uint64_t>(status.st_size);
  }
  if (size == 0 || size % page_bytes != 0) {
    return fail(Errc::kUsage, kOpen)
        .on(source->path_)
        .because("its {} bytes are not a positive number of whole pages of {} bytes ({} remain)", size,
                 page_bytes, size % page_bytes);
  }
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  return source;
}

Result<std::size_t> FilePageSource::read(std::span<std::byte> out) {
  if (out.empty() || out.size() % page_bytes_ != 0) {
    return fail(Errc::kUsage, kRead)
        .on(path_)
        .because("{} bytes asked for, pages have {}", out.size(), page_bytes_);
  }
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size_bytes_ - position_));
  std::size_t done = 0;
  while (done < wanted) {
    const auto moved =
        calls_.pread(file_.fd(), out.data() + done, wanted - done, static_cast<off_t>(position_));
    if (moved == -EINTR) continue;
    if (moved < 0) return fail(Errc::kIo, kRead).os(static_cast<int>(-moved)).on(path_).at(position_);
    if (moved == 0) {
      return fail(Errc::kIo, kRead)
          .on(path_)
          .at(position_)
          .because("it ends here, but had {} bytes when it was opened", size_bytes_);
    }
    done += static_cast<std::size_t>(moved);
    position_ += static_cast<std::uint64_t>(moved);
  }
  return done;
}

}  // namespace dormouse
