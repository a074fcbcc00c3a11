#include "io/posix_block_device.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/errno_meaning.h"
#include "io/block_range.h"

namespace dormouse {
namespace {

/// The kernel moves at most this much in one call (MAX_RW_COUNT), rounded down to a block.
constexpr std::size_t kMaxTransferBytes = std::size_t{1} << 30;

constexpr std::string_view kWrite = "write";

std::string_view kind_name(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISCHR(mode)) return "a character device";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "of an unknown kind";
}

bool is_supported(mode_t mode) {
  return S_ISBLK(mode) || S_ISREG(mode);
}

}  // namespace

PosixBlockDevice::PosixBlockDevice(std::string path, PosixOpenOptions options, SystemCalls& calls)
    : path_(std::move(path)), options_(options), calls_(calls) {}

Result<std::unique_ptr<PosixBlockDevice>> PosixBlockDevice::open(std::string path, PosixOpenOptions options,
                                                                 SystemCalls& calls) {
  std::unique_ptr<PosixBlockDevice> device(new PosixBlockDevice(std::move(path), options, calls));
  if (auto r = device->check_kind(); !r) return std::unexpected(r.error());
  if (auto r = device->open_file(); !r) return std::unexpected(r.error());
  if (auto r = device->measure(); !r) return std::unexpected(r.error());
  if (options.io == IoMode::kDirect && options.access == Access::kReadWrite) {
    if (auto r = device->flusher_.prepare(calls, device->file_.fd()); !r) return std::unexpected(r.error());
  }
  if (options.io == IoMode::kDirect) {
    auto queue = RingQueue::prepare(*device, calls.make_ring(RingQueue::kDepth));
    if (!queue) return std::unexpected(queue.error());
    device->queue_ = std::move(*queue);
  }
  return device;
}

// The thread uses the descriptor: it must end first.
PosixBlockDevice::~PosixBlockDevice() {
  queue_.reset();
  flusher_.stop();
}

Result<void> PosixBlockDevice::check_kind() {
  struct stat status{};
  if (::stat(path_.c_str(), &status) != 0) return fail(Errc::kIo, "open").os(errno).on(path_);
  if (!is_supported(status.st_mode)) {
    return fail(Errc::kUsage, "open")
        .on(path_)
        .because("it is {}; a block device or a regular file is needed", kind_name(status.st_mode));
  }
  is_block_device_ = S_ISBLK(status.st_mode);
  return {};
}

Result<void> PosixBlockDevice::open_file() {
  int flags = O_CLOEXEC | O_NOCTTY | (options_.access == Access::kReadOnly ? O_RDONLY : O_RDWR);
  if (options_.io == IoMode::kDirect) flags |= O_DIRECT;
  if (options_.exclusive && is_block_device_) flags |= O_EXCL;
  int fd = 0;
  do {
    fd = calls_.open(path_.c_str(), flags, 0);
  } while (fd == -EINTR);
  if (fd < 0) return std::unexpected(open_error(-fd));
  file_ = OpenFile(calls_, fd);
  return {};
}

Error PosixBlockDevice::open_error(int errnum) const {
  if (errnum == EBUSY) {
    return fail(Errc::kBusy, "open")
        .os(errnum)
        .on(path_)
        .because("it is mounted, swapped on or otherwise claimed; lsblk shows by what")
        .error();
  }
  if (errnum == EINVAL && options_.io == IoMode::kDirect) {
    return fail(Errc::kUsage, "open")
        .os(errnum)
        .on(path_)
        .because("its file system does not support direct I/O; use --io buffered")
        .error();
  }
  return fail(code_of(errnum), "open").os(errnum).on(path_).error();
}

Result<void> PosixBlockDevice::measure() {
  struct stat status{};
  if (::fstat(file_.fd(), &status) != 0) return fail(Errc::kIo, "stat").os(errno).on(path_);
  if (!is_supported(status.st_mode) || S_ISBLK(status.st_mode) != is_block_device_) {
    return fail(Errc::kIo, "open").on(path_).because("it was exchanged while it was being opened");
  }
  if (!is_block_device_) {
    size_bytes_ = static_cast<std::uint64_t>(status.st_size);
    device_number_ = status.st_dev;
    if (options_.exclusive && ::flock(file_.fd(), LOCK_EX | LOCK_NB) != 0) {
      const auto code = errno == EWOULDBLOCK ? Errc::kBusy : Errc::kIo;
      return fail(code, "lock").os(errno).on(path_).because("another program works on it");
    }
    return {};
  }
  device_number_ = status.st_rdev;
  if (const int r = calls_.ioctl(file_.fd(), BLKGETSIZE64, reinterpret_cast<std::uintptr_t>(&size_bytes_));
      r < 0) {
    return fail(Errc::kIo, "BLKGETSIZE64").os(-r).on(path_);
  }
  if (options_.io == IoMode::kBuffered) return {};
  int block_bytes = 0;
  if (const int r = calls_.ioctl(file_.fd(), BLKSSZGET, reinterpret_cast<std::uintptr_t>(&block_bytes));
      r < 0) {
    return fail(Errc::kIo, "BLKSSZGET").os(-r).on(path_);
  }
  if (block_bytes > static_cast<int>(kMinPageBytes)) {
    return fail(Errc::kUsage, "open")
        .on(path_)
        .because("direct I/O needs blocks of {} bytes here, more than {}; use --io buffered", block_bytes,
                 kMinPageBytes);
  }
  return {};
}

Error PosixBlockDevice::transfer_error(std::string_view operation, std::uint64_t offset, int errnum) const {
  auto failure = fail(code_of(errnum), operation).os(errnum).on(path_).at(offset);
  if (errnum == EINVAL && options_.io == IoMode::kDirect) {
    return std::move(failure).because("direct I/O may not be possible here; use --io buffered").error();
  }
  if (errnum == ETXTBSY) {
    return std::move(failure)
        .because("it is in use as swap and not the area chosen for hibernation: name that one, or swapoff it")
        .error();
  }
  if (errnum == EBADF && options_.access == Access::kReadOnly) {
    return std::move(failure).because("it was opened for reading only").error();
  }
  return failure.error();
}

Result<void> PosixBlockDevice::check_request(std::string_view operation, DeviceOffset offset,
                                             std::span<const std::byte> data) {
  if (auto r = check_block_range(*this, operation, offset, data.data(), data.size()); !r) return r;
  return operation == kWrite ? failed_.check() : Result<void>{};
}

Error PosixBlockDevice::request_error(std::string_view operation, std::uint64_t offset, int errnum) {
  const Error error = transfer_error(operation, offset, errnum);
  return operation == kWrite ? failed_.keep(error) : error;
}

Result<void> PosixBlockDevice::write(DeviceOffset offset, std::span<const std::byte> data) {
  if (auto r = check_block_range(*this, "write", offset, data.data(), data.size()); !r) return r;
  if (auto r = failed_.check(); !r) return r;
  auto at = to_bytes(offset);
  while (!data.empty()) {
    const auto piece = std::min(data.size(), kMaxTransferBytes);
    const auto moved = calls_.pwrite(file_.fd(), data.data(), piece, static_cast<off_t>(at));
    if (moved == -EINTR) continue;
    // Nothing moved and no reason given must not become an endless loop.
    if (moved <= 0)
      return std::unexpected(
          failed_.keep(transfer_error("write", at, moved == 0 ? EIO : static_cast<int>(-moved))));
    data = data.subspan(static_cast<std::size_t>(moved));
    at += static_cast<std::uint64_t>(moved);
  }
  return {};
}

Result<void> PosixBlockDevice::read(DeviceOffset offset, std::span<std::byte> out) {
  if (auto r = check_block_range(*this, "read", offset, out.data(), out.size()); !r) return r;
  auto at = to_bytes(offset);
  while (!out.empty()) {
    const auto piece = std::min(out.size(), kMaxTransferBytes);
    const auto moved = calls_.pread(file_.fd(), out.data(), piece, static_cast<off_t>(at));
    if (moved == -EINTR) continue;
    if (moved < 0) return std::unexpected(transfer_error("read", at, static_cast<int>(-moved)));
    if (moved == 0) {
      return fail(Errc::kIo, "read")
          .on(path_)
          .at(at)
          .because("it ends here, but had {} bytes when it was opened", size_bytes_);
    }
    out = out.subspan(static_cast<std::size_t>(moved));
    at += static_cast<std::uint64_t>(moved);
  }
  return {};
}

void PosixBlockDevice::start_writeout(std::span<const ByteRange> ranges) {
  if (options_.access == Access::kReadOnly) return;
  if (options_.io == IoMode::kDirect) {
    flusher_.request();
    return;
  }
  for (const auto& range : ranges) {
    if (range.length == 0) continue;  // to the kernel 0 means "to the end"
    const int r = calls_.sync_file_range(file_.fd(), static_cast<off_t>(to_bytes(range.start)),
                                         static_cast<off_t>(range.length), SYNC_FILE_RANGE_WRITE);
    // Nobody waits for this, so nobody is there to be told: the next flush() tells it.
    if (r < 0 && r != -EINTR) background_.note(transfer_error("start writeout", to_bytes(range.start), -r));
  }
}

Result<void> PosixBlockDevice::flush() {
  if (auto r = failed_.check(); !r) return r;
  int status = 0;
  do {
    status = calls_.fdatasync(file_.fd());
  } while (status == -EINTR);
  // The kernel tells a write-back error to one caller only, and that may have been the flush in the
  // background. It runs beside ours, so it is asked when both are done.
  if (const int errnum = flusher_.settle(); errnum != 0) {
    background_.note(fail(code_of(errnum), "flush in the background").os(errnum).on(path_).error());
  }
  if (auto r = background_.check(); !r) return std::unexpected(failed_.keep(r.error()));
  if (status < 0)
    return std::unexpected(failed_.keep(fail(code_of(-status), "flush").os(-status).on(path_).error()));
  return {};
}

void PosixBlockDevice::forget_error() {
  failed_.forget();
  background_.forget();
}

void PosixBlockDevice::quiesce() {
  flusher_.stop();
}

}  // namespace dormouse
