#include "kernel/snapshot_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "base/errno_meaning.h"
#include "kernel/freeze_refusal.h"
#include "kernel/hibernation_support.h"
#include "kernel/snapshot_ioctls.h"

namespace dormouse {
namespace {

using std::chrono_literals::operator""ms;

/// The lock behind EBUSY is held for microseconds while another thread of ours moves a page, so first only
/// let that thread run; for longer by a foreign power transition, so then wait, two seconds in all.
constexpr int kTriesAtOnce = 2000;
constexpr int kTriesInAll = kTriesAtOnce + 200;
constexpr auto kPause = 10ms;

std::string_view unavailable_remedy(int errnum) {
  switch (errnum) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
      return "the kernel offers no such device: it needs CONFIG_HIBERNATION_SNAPSHOT_DEV, and devtmpfs or "
             "udev for "
             "the node";
    case ENOSYS:
      return "it can be opened for reading or for writing, not for both";
    default:
      return "";
  }
}

Errc ioctl_code(unsigned long request, int errnum) {
  switch (errnum) {
    case EAGAIN:
      return Errc::kBusy;
    case ENODEV:
    case ENOTTY:
    case ENOSYS:
      return Errc::kImpossible;
    case EINVAL:
      return request == SNAPSHOT_SET_SWAP_AREA ? Errc::kImpossible : Errc::kIo;
    default:
      return code_of(errnum);
  }
}

std::string_view busy_detail(unsigned long request) {
  switch (request) {
    case SNAPSHOT_FREEZE:
      return "some task did not stop in time, a wake-up event came, or another power transition is under "
             "way; "
             "the kernel log says which";
    case SNAPSHOT_CREATE_IMAGE:
    case SNAPSHOT_ATOMIC_RESTORE:
      return "a kernel thread or a driver refused, a wake-up event came, or another power transition is "
             "under way; the "
             "kernel log says which";
    case SNAPSHOT_POWER_OFF:
    case SNAPSHOT_S2RAM:
      return "a wake-up event came, or another power transition is under way; try again";
    default:
      return "another power transition is under way; try again later";
  }
}

std::string_view ioctl_detail(unsigned long request, int errnum) {
  switch (errnum) {
    case EBUSY:
      return busy_detail(request);
    case ENOTTY:
      return "the kernel does not know this call: check that this is its snapshot device";
    case ENOMEM:
      return request == SNAPSHOT_CREATE_IMAGE
                 ? "about half of the memory must be free for the copy: end programs, or lower the image size"
                 : "the kernel has too little free memory: end some programs and try again";
    case EAGAIN:
      return request == SNAPSHOT_FREEZE ? "a helper process started by the kernel is still running; try again"
                                        : "a wake-up event came; try again";
    default:
      break;
  }
  switch (request) {
    case SNAPSHOT_SET_SWAP_AREA:
      if (errnum == ENODEV)
        return "no active swap area has its header there: see /proc/swaps and the resume offset";
      if (errnum == EPERM)
        return "the kernel does not allow it while slots of another area are allocated, nor without "
               "CAP_SYS_ADMIN: run it as "
               "root, outside any container";
      break;
    case SNAPSHOT_ALLOC_SWAP_PAGE:
      if (errnum == ENOSPC)
        return "the swap area is full: free some swap, or lower the image size (--image-size)";
      [[fallthrough]];
    case SNAPSHOT_FREE_SWAP_PAGES:
      if (errnum == ENODEV)
        return "the kernel has no swap area for it any more: is it still in /proc/swaps? swapon it and try "
               "again";
      break;
    case SNAPSHOT_CREATE_IMAGE:
      if (errnum == EPERM)
        return "the kernel does not allow it, as where it holds an image already or CAP_SYS_ADMIN is "
               "missing: run it as root, "
               "outside any container, and try again";
      break;
    case SNAPSHOT_ATOMIC_RESTORE:
      if (errnum == EPERM || errnum == ENODATA) {
        return "the kernel does not take the image for complete; its log (dmesg) may say why";
      }
      break;
    case SNAPSHOT_GET_IMAGE_SIZE:
      if (errnum == ENODATA) return "the kernel holds no image; its log (dmesg) may say why; try again";
      break;
    case SNAPSHOT_POWER_OFF:
      if (errnum == ENOSYS) return "the firmware has no hibernation state: use --shutdown-method shutdown";
      break;
    case SNAPSHOT_S2RAM:
      if (errnum == ENOSYS) return "this machine cannot suspend to RAM (deep): use another --shutdown-method";
      if (errnum == EPERM) return "the kernel does not allow it: run it as root, outside any container";
      break;
    default:
      break;
  }
  return errnum == EPERM ? "CAP_SYS_ADMIN is missing: run it as root, outside any container" : "";
}

}  // namespace

std::uint32_t system_page_bytes() {
  return static_cast<std::uint32_t>(::sysconf(_SC_PAGESIZE));
}

Result<SnapshotFile> SnapshotFile::open(std::string path, int flags, std::uint32_t page_bytes,
                                        SystemPaths paths, SystemCalls& calls) {
  SnapshotFile file(std::move(path), page_bytes == 0 ? system_page_bytes() : page_bytes, std::move(paths),
                    calls);
  int fd = 0;
  do {
    fd = calls.open(file.path_.c_str(), flags | O_CLOEXEC, 0);
  } while (fd == -EINTR);
  if (fd < 0) return std::unexpected(file.open_error(-fd));
  file.file_ = OpenFile(calls, fd);
  return file;
}

Error SnapshotFile::open_error(int errnum) const {
  constexpr std::string_view kOpen = "open snapshot device";
  if (errnum == EBUSY) {
    return failure(Errc::kBusy, kOpen)
        .os(errnum)
        .because(
            "another program has it open or is hibernating: see which with fuser, and try again when it has "
            "ended")
        .error();
  }
  if (errnum == ENOMEM) return failure(Errc::kNoMemory, kOpen).os(errnum).error();
  if (errnum == EACCES)
    return failure(Errc::kIo, kOpen).os(errnum).because("only root may open it: run it with sudo").error();
  if (errnum == EPERM) {
    // The kernel's one answer to several causes; from outside most of them can be told apart.
    const auto why = why_hibernation_is_unavailable(paths_, *calls_);
    return failure(Errc::kImpossible, kOpen)
        .os(errnum)
        .because("{}", why ? *why
                           : "the kernel refuses hibernation: run it as root, outside any container; its log "
                             "(dmesg) may say more")
        .error();
  }
  const auto remedy = unavailable_remedy(errnum);
  return failure(remedy.empty() ? Errc::kIo : Errc::kImpossible, kOpen)
      .os(errnum)
      .because("{}", remedy)
      .error();
}

Error SnapshotFile::ioctl_error(unsigned long request, int errnum) const {
  return failure(ioctl_code(request, errnum), snapshot_ioctl_name(request))
      .os(errnum)
      .because("{}", ioctl_detail(request, errnum))
      .error();
}

Result<void> SnapshotFile::ioctl(unsigned long request, std::uintptr_t argument, Busy busy) {
  int status = 0;
  for (int tries = 0; tries < kTriesInAll; ++tries) {
    status = calls_->ioctl(file_.fd(), request, argument);
    if (status >= 0) return {};
    const bool again = status == -EINTR || (status == -EBUSY && busy == Busy::kTryAgain);
    if (!again) break;
    calls_->pause(tries < kTriesAtOnce ? std::chrono::nanoseconds::zero() : kPause);
  }
  return std::unexpected(ioctl_error(request, -status));
}

Result<void> SnapshotFile::freeze() {
  // Older failures of others are no concern of ours.
  KernelLogTail log({.paths = paths_, .calls = *calls_});
  auto frozen = ioctl(SNAPSHOT_FREEZE, std::uintptr_t{0}, Busy::kRefusal);
  if (frozen || frozen.error().errnum != EBUSY) return frozen;
  // All is thawed again: the log may be read.
  const FreezeRefusal refusal = log.refusal();
  InlineText<640>& detail = frozen.error().detail;
  if (refusal.count() > 0) {
    detail.format(
        "{} would not stop, often because of a network or FUSE file system that does not answer, or a "
        "device in trouble; nothing was saved, everything goes on. End {} or wait, then try again",
        refusal.tasks(), refusal.count() == 1 ? "it" : "them");
  } else if (refusal.aborted()) {
    detail.format(
        "a wake-up event (key, lid, network, timer) came; nothing was saved, everything goes on. Try again");
  }
  return frozen;
}

int SnapshotFile::fill_pieces(std::byte* data, std::size_t bytes) {
  // The device moves one page a call at most, but a vector of pages in one system call; a piece that is not
  // exactly one page would break it (kernel-facts A.3).
  const auto pages = std::min(bytes / page_bytes_, kBatchPages);
  for (std::size_t i = 0; i < pages; ++i) pieces_[i] = {data + i * page_bytes_, page_bytes_};
  return static_cast<int>(pages);
}

Result<std::size_t> SnapshotFile::read_batch(std::span<std::byte> out) {
  constexpr std::string_view kRead = "read snapshot";
  const int count = fill_pieces(out.data(), out.size());
  ssize_t moved = 0;
  do {
    moved = calls_->readv(file_.fd(), pieces_.data(), count);
  } while (moved == -EINTR);
  if (moved < 0) {
    const int errnum = static_cast<int>(-moved);
    return failure(errnum == ENOMEM ? Errc::kNoMemory : Errc::kIo, kRead)
        .os(errnum)
        .because("{}",
                 errnum == ENODATA ? "the kernel made no image; its log (dmesg) may say why; try again" : "");
  }
  const auto bytes = static_cast<std::size_t>(moved);
  if (bytes % page_bytes_ != 0) {
    return failure(Errc::kIo, kRead)
        .because("{} bytes came, which are not whole pages of {}", bytes, page_bytes_);
  }
  return bytes;
}

Result<std::size_t> SnapshotFile::write_batch(std::span<const std::byte> pages) {
  constexpr std::string_view kWrite = "load image into the kernel";
  const int count = fill_pieces(const_cast<std::byte*>(pages.data()), pages.size());
  ssize_t moved = 0;
  do {
    moved = calls_->writev(file_.fd(), pieces_.data(), count);
  } while (moved == -EINTR);
  if (moved < 0) {
    const int errnum = static_cast<int>(-moved);
    auto error = failure(errnum == ENOMEM ? Errc::kNoMemory : Errc::kIo, kWrite).os(errnum);
    switch (errnum) {
      case EPERM:
        return std::move(error).because(
            "the image does not fit this machine or kernel (memory size, firmware memory map, kernel build); "
            "the kernel "
            "log says \"Image mismatch\" and why");
      case EFAULT:
        return std::move(error).because(
            "the image names memory that this machine does not have; was memory taken out since it was "
            "saved? Put it back, or "
            "discard the image (resume --discard)");
      case ENOMEM:
        return std::move(error).because(
            "the image does not fit beside the running kernel: boot with fewer programs, or save a smaller "
            "image "
            "(--image-size) next time");
      default:
        return error;
    }
  }
  const auto bytes = static_cast<std::size_t>(moved);
  if (bytes % page_bytes_ != 0) {
    return failure(Errc::kIo, kWrite)
        .because("{} bytes were taken, which are not whole pages of {}", bytes, page_bytes_);
  }
  return bytes;
}

}  // namespace dormouse
