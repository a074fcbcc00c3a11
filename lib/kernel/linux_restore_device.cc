#include "kernel/linux_restore_device.h"

#include <fcntl.h>

#include "kernel/snapshot_ioctls.h"

namespace dormouse {
namespace {

using Busy = SnapshotFile::Busy;

}  // namespace

Result<std::unique_ptr<LinuxRestoreDevice>> LinuxRestoreDevice::open(SnapshotOpenOptions options,
                                                                     SystemCalls& calls) {
  const auto page_bytes = options.page_bytes == 0 ? system_page_bytes() : options.page_bytes;
  auto spare = AlignedBuffer::allocate(page_bytes);
  if (!spare) return std::unexpected(spare.error());
  auto file =
      SnapshotFile::open(std::move(options.path), O_WRONLY, page_bytes, std::move(options.paths), calls);
  if (!file) return std::unexpected(file.error());
  return std::unique_ptr<LinuxRestoreDevice>(new LinuxRestoreDevice(std::move(*file), std::move(*spare)));
}

LinuxRestoreDevice::~LinuxRestoreDevice() {
  if (loaded_) static_cast<void>(free_image());
  if (frozen_ && !loaded_)
    static_cast<void>(file_.ioctl(SNAPSHOT_UNFREEZE, std::uintptr_t{0}, Busy::kTryAgain));
}

Result<void> LinuxRestoreDevice::write(std::span<const std::byte> pages) {
  if (pages.size() % file_.page_bytes() != 0) {
    return file_.failure(Errc::kUsage, "load image into the kernel")
        .because("{} bytes are not whole pages", pages.size());
  }
  loaded_ = loaded_ || !pages.empty();
  while (!pages.empty()) {
    auto moved = file_.write_batch(pages);
    if (!moved) {
      auto error = moved.error();
      error.offset = written_bytes_;
      return std::unexpected(error);
    }
    if (*moved == 0) {
      return file_.failure(Errc::kCorrupt, "load image into the kernel")
          .at(written_bytes_)
          .because("the kernel has its image, but {} bytes more were offered", pages.size());
    }
    pages = pages.subspan(*moved);
    written_bytes_ += *moved;
  }
  return {};
}

Result<void> LinuxRestoreDevice::finish() {
  auto moved = file_.write_batch(spare_page_.span());
  if (!moved) {
    auto error = moved.error();
    error.offset = written_bytes_;
    return std::unexpected(error);
  }
  if (*moved == 0) return {};
  return file_.failure(Errc::kCorrupt, "load image into the kernel")
      .at(written_bytes_)
      .because("the kernel expects more pages than the image has");
}

Result<void> LinuxRestoreDevice::set_platform_support(bool on) {
  return file_.ioctl(SNAPSHOT_PLATFORM_SUPPORT, std::uintptr_t{on ? 1U : 0U}, Busy::kTryAgain);
}

Result<void> LinuxRestoreDevice::freeze() {
  auto r = file_.freeze();
  if (r) frozen_ = true;
  return r;
}

Result<void> LinuxRestoreDevice::unfreeze() {
  if (loaded_) {
    return file_.failure(Errc::kUsage, "SNAPSHOT_UNFREEZE")
        .because("pages are still loaded; SNAPSHOT_FREE comes first");
  }
  auto r = file_.ioctl(SNAPSHOT_UNFREEZE, std::uintptr_t{0}, Busy::kTryAgain);
  if (r) frozen_ = false;
  return r;
}

Result<void> LinuxRestoreDevice::free_image() {
  auto r = file_.ioctl(SNAPSHOT_FREE, std::uintptr_t{0}, Busy::kTryAgain);
  if (r) {
    loaded_ = false;
    written_bytes_ = 0;
  }
  return r;
}

Result<void> LinuxRestoreDevice::atomic_restore() {
  if (auto r = file_.ioctl(SNAPSHOT_ATOMIC_RESTORE, std::uintptr_t{0}, Busy::kRefusal); !r) return r;
  return file_.failure(Errc::kIo, "SNAPSHOT_ATOMIC_RESTORE")
      .because("it returned without jumping into the image");
}

}  // namespace dormouse
