#include "io/file_page_sink.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "dormouse/units.h"

namespace dormouse {
namespace {

constexpr std::string_view kOpen = "create output file";
constexpr std::string_view kWrite = "write output file";
constexpr std::string_view kFinish = "finish output file";
constexpr int kNameAttempts = 100;

bool is_zero(std::span<const std::byte> block) {
  // Equal to itself moved by one byte and starting with zero: all of it is zero.
  return block.empty() ||
         (block[0] == std::byte{0} && std::memcmp(block.data(), block.data() + 1, block.size() - 1) == 0);
}

/// The file that `path` leads to through symbolic links, so that renaming replaces the file and not the link.
std::string resolved(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string result(real);
  std::free(real);
  return result;
}

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Result<std::unique_ptr<FilePageSink>> FilePageSink::open(std::string path, SystemCalls& calls) {
  std::unique_ptr<FilePageSink> sink(new FilePageSink(resolved(path), calls));
  if (auto r = sink->open_target(); !r) return std::unexpected(r.error());
  return sink;
}

FilePageSink::~FilePageSink() {
  if (!finished_ && !direct() && file_.valid()) calls_.unlink(temporary_path_.c_str());
}

Result<void> FilePageSink::open_target() {
  struct stat status{};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return fail(Errc::kUsage, kOpen).on(path_).because("it is a directory");
  constexpr int kFlags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
  if (exists && !S_ISREG(status.st_mode)) {
    const int fd = calls_.open(path_.c_str(), kFlags, 0);
    if (fd < 0) return fail(Errc::kIo, kOpen).os(-fd).on(path_);
    file_ = OpenFile(calls_, fd);
    return {};
  }
  directory_ = directory_of(path_);
  int fd = -EEXIST;
  // A killed process may have left a file, and in an initramfs process numbers come again.
  for (int attempt = 0; fd == -EEXIST && attempt < kNameAttempts; ++attempt) {
    temporary_path_ = fmt::format("{}.{}-{}.part", path_, ::getpid(), attempt);
    fd = calls_.open(temporary_path_.c_str(), kFlags | O_CREAT | O_EXCL, 0600);
  }
  if (fd < 0) return fail(Errc::kIo, kOpen).os(-fd).on(temporary_path_);
  file_ = OpenFile(calls_, fd);
  return {};
}

Result<void> FilePageSink::write(std::span<const std::byte> pages) {
  if (pages.size() % kMinPageBytes != 0) {
    return fail(Errc::kUsage, kWrite).on(path_).because("{} bytes are not whole pages", pages.size());
  }
  if (direct()) {
    if (auto r = write_run(pages, position_); !r) return r;
    position_ += pages.size();
    return {};
  }
  // Runs of blocks that hold something are written, the others skipped: the file is sparse and reads the
  // same.
  std::size_t start = 0;
  while (start < pages.size()) {
    std::size_t end = start;
    while (end < pages.size() && !is_zero(pages.subspan(end, kMinPageBytes))) end += kMinPageBytes;
    if (end > start) {
      if (auto r = write_run(pages.subspan(start, end - start), position_ + start); !r) return r;
    }
    start = end + kMinPageBytes;  // the block that ended the run is zero, or beyond the end
  }
  position_ += pages.size();
  return {};
}

Result<void> FilePageSink::write_run(std::span<const std::byte> run, std::uint64_t at) {
  while (!run.empty()) {
    // A pipe knows no offsets.
    iovec piece{const_cast<std::byte*>(run.data()), run.size()};
    const auto moved = direct() ? calls_.writev(file_.fd(), &piece, 1)
                                : calls_.pwrite(file_.fd(), run.data(), run.size(), static_cast<off_t>(at));
    if (moved == -EINTR) continue;
    if (moved <= 0) {
      const int errnum = moved == 0 ? EIO : static_cast<int>(-moved);
      return fail(Errc::kIo, kWrite).os(errnum).on(path_).at(at);
    }
    run = run.subspan(static_cast<std::size_t>(moved));
    at += static_cast<std::uint64_t>(moved);
  }
  return {};
}

Result<void> FilePageSink::finish() {
  if (!direct()) return finish_file();
  const int r = calls_.fdatasync(file_.fd());
  // Pipes and /dev/null have nothing to make durable.
  if (r < 0 && r != -EINVAL && r != -EROFS) return fail(Errc::kIo, kFinish).os(-r).on(path_);
  finished_ = true;
  return {};
}

Result<void> FilePageSink::finish_file() {
  // Gives the file its length where it ends in a hole.
  if (const int r = calls_.ftruncate(file_.fd(), static_cast<off_t>(position_)); r < 0) {
    return fail(Errc::kIo, kFinish).os(-r).on(temporary_path_);
  }
  if (const int r = calls_.fdatasync(file_.fd()); r < 0)
    return fail(Errc::kIo, kFinish).os(-r).on(temporary_path_);
  if (const int r = calls_.rename(temporary_path_.c_str(), path_.c_str()); r < 0) {
    return fail(Errc::kIo, kFinish)
        .os(-r)
        .on(path_)
        .because("it could not be renamed from {}", temporary_path_);
  }
  finished_ = true;
  const int fd = calls_.open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (fd < 0) return fail(Errc::kIo, kFinish).os(-fd).on(directory_);
  const OpenFile directory(calls_, fd);
  if (const int r = calls_.fdatasync(fd); r < 0 && r != -EINVAL)
    return fail(Errc::kIo, kFinish).os(-r).on(directory_);
  return {};
}

}  // namespace dormouse
