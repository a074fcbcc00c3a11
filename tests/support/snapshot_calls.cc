#include "support/snapshot_calls.h"

#include <fcntl.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cstring>

#include "kernel/snapshot_ioctls.h"

namespace dormouse::test {
namespace {

constexpr int kFd = 1000;  // no real descriptor of a test is so high
constexpr std::string_view kPath = "/dev/snapshot";

template <class T>
int status(const Result<T>& result) {
  if (result) return 0;
  // An error without errno is one that the real device makes of a success.
  return -result.error().errnum;
}

template <class T>
void store(std::uintptr_t argument, T value) {
  std::memcpy(reinterpret_cast<void*>(argument), &value, sizeof value);
}

}  // namespace

int SnapshotCalls::open(const char* path, int flags, mode_t mode) {
  if (path != kPath) {
    const int fd = others_.open(path, flags & ~O_TRUNC, mode);
    if (fd >= 0 && (flags & O_TRUNC) != 0) written_anew_.insert(fd);
    return fd;
  }
  if ((flags & O_ACCMODE) == O_RDWR) return -ENOSYS;
  if (open_) return -EBUSY;
  open_ = true;
  open_flags_ = flags;
  return kFd;
}

int SnapshotCalls::close(int fd) {
  if (fd != kFd) {
    written_anew_.erase(fd);
    return others_.close(fd);
  }
  if (!open_) return -EBADF;
  open_ = false;
  saving_.closed();
  restoring_.closed();
  return 0;
}

int SnapshotCalls::ioctl(int fd, unsigned long request, std::uintptr_t argument) {
  if (fd != kFd) return others_.ioctl(fd, request, argument);
  if (!open_) return -EBADF;
  return (open_flags_ & O_ACCMODE) == O_WRONLY ? restore_ioctl(request, argument)
                                               : save_ioctl(request, argument);
}

int SnapshotCalls::save_ioctl(unsigned long request, std::uintptr_t argument) {
  switch (request) {
    case SNAPSHOT_FREEZE:
      return status(saving_.freeze());
    case SNAPSHOT_UNFREEZE:
      return status(saving_.unfreeze());
    case SNAPSHOT_FREE:
      return status(saving_.free_image());
    case SNAPSHOT_FREE_SWAP_PAGES:
      return status(saving_.free_swap_pages());
    case SNAPSHOT_S2RAM:
      return status(saving_.suspend_to_ram());
    case SNAPSHOT_POWER_OFF:
      return status(saving_.power_off());
    case SNAPSHOT_PLATFORM_SUPPORT:
      return status(saving_.set_platform_support(argument != 0));
    case SNAPSHOT_PREF_IMAGE_SIZE: {
      const auto set = saving_.set_preferred_image_bytes(argument);
      if (set && on_preferred_size) on_preferred_size(argument);
      return status(set);
    }
    case SNAPSHOT_SET_SWAP_AREA: {
      resume_swap_area area{};
      std::memcpy(&area, reinterpret_cast<const void*>(argument), sizeof area);
      // Undoes the kernel's encoding by its definition, not by our encoder.
      const auto minor_bits = (area.dev & 0xffU) | ((area.dev >> 12U) & 0xfff00U);
      const auto device = gnu_dev_makedev((area.dev >> 8U) & 0xfffU, minor_bits);
      return status(saving_.set_swap_area(device, static_cast<std::uint64_t>(area.offset)));
    }
    case SNAPSHOT_CREATE_IMAGE: {
      const auto state = saving_.create_image();
      if (!state) return status(state);
      store<int>(argument, create_lie.value_or(*state == SnapshotState::kCreated ? 1 : 0));
      return 0;
    }
    case SNAPSHOT_GET_IMAGE_SIZE: {
      const auto bytes = saving_.image_bytes();
      if (!bytes && bytes.error().errnum != 0) return status(bytes);
      // The kernel's header page is all there is of an image that is none.
      store<std::int64_t>(argument, image_size_lie.value_or(bytes ? static_cast<std::int64_t>(*bytes)
                                                                  : saving_.page_bytes()));
      return 0;
    }
    case SNAPSHOT_AVAIL_SWAP_SIZE: {
      const auto bytes = saving_.available_swap_bytes();
      if (bytes) store<std::int64_t>(argument, static_cast<std::int64_t>(*bytes));
      return status(bytes);
    }
    case SNAPSHOT_ALLOC_SWAP_PAGE: {
      const auto offset = saving_.allocate_swap_page();
      if (offset)
        store<std::int64_t>(argument, slot_lie.value_or(static_cast<std::int64_t>(to_bytes(*offset))));
      return status(offset);
    }
    default:
      return -ENOTTY;
  }
}

int SnapshotCalls::restore_ioctl(unsigned long request, std::uintptr_t argument) {
  switch (request) {
    case SNAPSHOT_FREEZE:
      return status(restoring_.freeze());
    case SNAPSHOT_UNFREEZE:
      return status(restoring_.unfreeze());
    case SNAPSHOT_FREE:
      return status(restoring_.free_image());
    case SNAPSHOT_PLATFORM_SUPPORT:
      return status(restoring_.set_platform_support(argument != 0));
    case SNAPSHOT_ATOMIC_RESTORE:
      return status(restoring_.atomic_restore());
    default:
      return -ENOTTY;
  }
}

ssize_t SnapshotCalls::pread(int fd, void* out, std::size_t bytes, off_t offset) {
  return fd == kFd ? -ESPIPE : others_.pread(fd, out, bytes, offset);
}

ssize_t SnapshotCalls::pwrite(int fd, const void* data, std::size_t bytes, off_t offset) {
  if (fd == kFd) return -ESPIPE;
  const ssize_t moved = others_.pwrite(fd, data, bytes, offset);
  if (moved > 0 && written_anew_.contains(fd)) others_.ftruncate(fd, offset + moved);
  return moved;
}

ssize_t SnapshotCalls::readv(int fd, const iovec* pieces, int count) {
  if (fd != kFd) return others_.readv(fd, pieces, count);
  if (!open_) return -EBADF;
  ++transfers_;
  longest_ = std::max(longest_, count);
  ssize_t done = 0;
  for (int i = 0; i < count; ++i) {
    if (pieces[i].iov_len != saving_.page_bytes()) return -EPROTO;  // short pieces break the kernel's stream
    const auto moved = saving_.read({static_cast<std::byte*>(pieces[i].iov_base), pieces[i].iov_len});
    if (!moved) return done > 0 ? done : status(moved);
    done += static_cast<ssize_t>(*moved);
    if (*moved < pieces[i].iov_len) break;
  }
  return done;
}

ssize_t SnapshotCalls::writev(int fd, const iovec* pieces, int count) {
  if (fd != kFd) return others_.writev(fd, pieces, count);
  if (!open_) return -EBADF;
  ++transfers_;
  longest_ = std::max(longest_, count);
  ssize_t done = 0;
  for (int i = 0; i < count; ++i) {
    const auto r = restoring_.write({static_cast<const std::byte*>(pieces[i].iov_base), pieces[i].iov_len});
    if (!r && r.error().code == Errc::kCorrupt) {
      // Complete: the kernel takes nothing more and says so with 0, which is also the finishing call.
      if (done == 0) static_cast<void>(restoring_.finish());
      break;
    }
    if (!r) return done > 0 ? done : status(r);
    done += static_cast<ssize_t>(pieces[i].iov_len);
  }
  return done;
}

}  // namespace dormouse::test
