#include "area/swap_file.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>
#include <utility>

#include "area/btrfs_place.h"
#include "area/f2fs_devices.h"
#include "area/file_extents.h"
#include "area/file_system_kind.h"
#include "area/probed_file.h"
#include "base/aligned_buffer.h"
#include "format/swap_header.h"
#include "io/posix_block_device.h"
#include "kernel/device_number.h"

namespace dormouse {
namespace {

using Way = FileSystemKind::Way;

/// A file's layout on a device that has been found.
struct Placed {
  FileLayout layout;
  std::string device_path;
  std::uint64_t device_number = 0;
};

std::string_view kind_name(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISBLK(mode)) return "a block device, and an area on one begins at 0";
  if (S_ISCHR(mode)) return "a character device";
  if (S_ISFIFO(mode)) return "a pipe";
  return "no regular file";
}

Result<void> check_kind(const std::string& path, const struct stat& status) {
  if (S_ISREG(status.st_mode)) return {};
  return fail(Errc::kUsage, kLocate)
      .on(path)
      .because("it is {}: name a swap file, made with fallocate and mkswap", kind_name(status.st_mode));
}

Result<ProbedFile> open_file(const std::string& path, std::uint32_t page_bytes, const Host& host) {
  // Opening some things has effects; so they are looked at first.
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    const int errnum = errno;
    return fail(errnum == ENOENT || errnum == ENOTDIR ? Errc::kUsage : Errc::kIo, kLocate)
        .on(path)
        .os(errnum);
  }
  if (auto r = check_kind(path, status); !r) return std::unexpected(r.error());
  int fd = 0;
  do {
    fd = host.calls.open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
  } while (fd == -EINTR);
  if (fd < 0) return fail(code_of(-fd), "open swap file").on(path).os(-fd);
  ProbedFile file{
      .path = path, .page_bytes = page_bytes, .calls = &host.calls, .file = OpenFile(host.calls, fd)};
  if (::fstat(fd, &status) != 0) return fail(Errc::kIo, kLocate).on(path).os(errno);
  if (auto r = check_kind(path, status); !r) return std::unexpected(r.error());
  file.size_bytes = static_cast<std::uint64_t>(status.st_size);
  file.inode = status.st_ino;
  file.device_number = status.st_dev;
  return file;
}

Result<void> refuse_realtime(const ProbedFile& file) {
  fsxattr attributes{};
  if (auto r = file.ask("FS_IOC_FSGETXATTR", FS_IOC_FSGETXATTR, attributes); !r) return r;
  if ((attributes.fsx_xflags & FS_XFLAG_REALTIME) == 0) return {};
  return refuse(file.path).because(
      "it is on the realtime device of its XFS, which cannot be told from here: make the swap file anew "
      "without the attribute r (xfs_io -c 'chattr -r' on the empty file)");
}

Result<Placed> place_on_own_device(const ProbedFile& file, const FileSystemKind& kind, const Host& host) {
  if (kind.way == Way::kExtentsXfs) {
    if (auto r = refuse_realtime(file); !r) return std::unexpected(r.error());
  }
  const auto layout = read_file_layout(file);
  if (!layout) return std::unexpected(layout.error());
  auto device = block_device_path(file.device_number, host.paths);
  if (!device) {
    return refuse(file.path).because(
        "the device of its file system has the number {}, and there is no node of it in {}: is udev running? "
        "(mknod makes one by hand)",
        format_device_number(file.device_number), host.paths.dev);
  }
  return Placed{.layout = *layout, .device_path = std::move(*device), .device_number = file.device_number};
}

Result<Placed> place_of(const ProbedFile& file, const FileSystemKind& kind, const Host& host) {
  if (kind.way == Way::kNone) {
    return refuse(file.path).because(
        "it is on {}, where the place of a file cannot be told or does not last: make the swap file on ext4, "
        "XFS, f2fs or btrfs",
        kind.name);
  }
  if (kind.way != Way::kBtrfs) return place_on_own_device(file, kind, host);
  auto place = read_btrfs_place(file);
  if (!place) return std::unexpected(place.error());
  return Placed{.layout = place->layout,
                .device_path = std::move(place->device_path),
                .device_number = place->device_number};
}

Result<std::unique_ptr<PosixBlockDevice>> open_device(const ProbedFile& file, const Placed& placed) {
  auto device = PosixBlockDevice::open(placed.device_path,
                                       {.io = IoMode::kDirect, .access = Access::kReadOnly}, *file.calls);
  if (!device) return during("open block device of swap file", device.error());
  if (!(*device)->is_block_device() || (*device)->device_number() != placed.device_number) {
    return refuse(file.path).because(
        "its file system is on device {}, but {} is another by now: try again, or see lsblk",
        format_device_number(placed.device_number), placed.device_path);
  }
  return device;
}

Result<void> refuse_several_f2fs_devices(const ProbedFile& file, PosixBlockDevice& device) {
  auto head = AlignedBuffer::allocate(kF2fsHeadBytes);
  if (!head) return std::unexpected(head.error());
  if (auto r = device.read(DeviceOffset{0}, head->span()); !r)
    return during("read f2fs superblock", r.error());
  if (!f2fs_has_several_devices(head->span())) return {};
  return refuse(file.path).because(
      "its f2fs lies on several devices, and on which of them the file is cannot be told: make the swap file "
      "on "
      "a file system of one device");
}

Failure not_proven(const ProbedFile& file, const Placed& placed) {
  return fail(Errc::kImpossible, "prove place of swap file").on(file.path).at(placed.layout.start);
}

/// Reads the swap header through the block device.
Result<void> prove(const ProbedFile& file, const Placed& placed, PosixBlockDevice& device) {
  const std::uint64_t start = placed.layout.start;
  const std::uint64_t size = device.size_bytes();
  if (start >= size || size - start < file.page_bytes) {
    return not_proven(file, placed)
        .because(
            "the file system has it there on {}, which has only {} bytes: the device is another, or one of "
            "several; make the swap file on a file system of one device",
            placed.device_path, size);
  }
  auto page = AlignedBuffer::allocate(kMaxPageBytes);
  if (!page) return std::unexpected(page.error());
  // The area may have been made for larger pages: then the signature is further on.
  std::uint64_t bytes = std::min({std::uint64_t{kMaxPageBytes}, placed.layout.first_run_bytes, size - start});
  bytes = std::max<std::uint64_t>(bytes - bytes % kMinPageBytes, file.page_bytes);
  const auto head = page->span().first(bytes);
  if (auto r = device.read(DeviceOffset{start}, head); !r) return during("read swap header", r.error());
  const auto header = decode_swap_header(head, std::numeric_limits<std::uint64_t>::max());
  if (!header) {
    return not_proven(file, placed)
        .because(
            "on {} there: {}. The file has been moved meanwhile, or is no swap file yet: run mkswap on it, "
            "or try again",
            placed.device_path, header.error().detail.view());
  }
  if (header->page_bytes != file.page_bytes) {
    return not_proven(file, placed)
        .because("the area was made for pages of {} bytes, this kernel has pages of {}: run mkswap again",
                 header->page_bytes, file.page_bytes);
  }
  if (header->last_page >= file.size_bytes / file.page_bytes) {
    return not_proven(file, placed)
        .because("the swap header's last page is {}, but the file has only {} pages: run mkswap again",
                 header->last_page, file.size_bytes / file.page_bytes);
  }
  return {};
}

}  // namespace

Result<SwapFilePlace> locate_swap_file(const std::string& path, std::uint32_t page_bytes, const Host& host) {
  const auto file = open_file(path, page_bytes, host);
  if (!file) return std::unexpected(file.error());
  struct statfs system{};
  if (::fstatfs(file->file.fd(), &system) != 0) return fail(Errc::kIo, "statfs").on(path).os(errno);
  const auto kind = file_system_kind(static_cast<std::uint64_t>(system.f_type));
  auto placed = place_of(*file, kind, host);
  if (!placed) return std::unexpected(placed.error());
  const auto device = open_device(*file, *placed);
  if (!device) return std::unexpected(device.error());
  if (kind.way == Way::kExtentsF2fs) {
    if (auto r = refuse_several_f2fs_devices(*file, **device); !r) return std::unexpected(r.error());
  }
  if (auto r = prove(*file, *placed, **device); !r) return std::unexpected(r.error());
  return SwapFilePlace{.file = path,
                       .device_path = std::move(placed->device_path),
                       .device_number = placed->device_number,
                       .header_page = placed->layout.start / page_bytes,
                       .size_bytes = file->size_bytes,
                       .extents = placed->layout.extents,
                       .file_system = kind.name};
}

}  // namespace dormouse
