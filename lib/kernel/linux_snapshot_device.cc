#include "kernel/linux_snapshot_device.h"

#include <fcntl.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cstring>

#include "kernel/snapshot_ioctls.h"

namespace dormouse {
namespace {

using Busy = SnapshotFile::Busy;

/// A header page, a page of metadata and one of data: less is no image (kernel-facts A.2).
constexpr std::uint64_t kMinImagePages = 3;
/// Where the stream's first page says how many data pages follow (A.4).
constexpr std::size_t kImagePagesOffset = 416;

/// The kernel's encoding of a device number in 32 bits.
std::uint32_t encoded_device(std::uint64_t device) {
  const std::uint32_t minor_bits = gnu_dev_minor(device);
  return (minor_bits & 0xffU) | (gnu_dev_major(device) << 8U) | ((minor_bits & ~0xffU) << 12U);
}

}  // namespace

Result<std::unique_ptr<LinuxSnapshotDevice>> LinuxSnapshotDevice::open(SnapshotOpenOptions options,
                                                                       SystemCalls& calls) {
  auto file = SnapshotFile::open(std::move(options.path), O_RDONLY, options.page_bytes,
                                 std::move(options.paths), calls);
  if (!file) return std::unexpected(file.error());
  return std::unique_ptr<LinuxSnapshotDevice>(new LinuxSnapshotDevice(std::move(*file)));
}

Result<std::size_t> LinuxSnapshotDevice::read(std::span<std::byte> out) {
  if (out.empty() || out.size() % page_bytes() != 0) {
    return file_.failure(Errc::kUsage, "read snapshot").because("{} bytes are not whole pages", out.size());
  }
  // Never more than is known to be there: beyond its end the stream must not even be asked.
  const auto wanted = static_cast<std::size_t>(
      std::min<std::uint64_t>(out.size() / page_bytes(), total_pages_ - pages_read_) * page_bytes());
  std::size_t done = 0;
  while (done < wanted) {
    auto moved = file_.read_batch(out.subspan(done, wanted - done));
    if (!moved) return moved;
    if (*moved == 0) {
      return file_.failure(Errc::kIo, "read snapshot")
          .because("the stream ended after {} of {} pages", pages_read_, total_pages_);
    }
    if (pages_read_ == 0) {
      if (auto r = check_first_page(out.first(page_bytes())); !r) return std::unexpected(r.error());
    }
    done += *moved;
    pages_read_ += *moved / page_bytes();
  }
  return done;
}

Result<void> LinuxSnapshotDevice::check_first_page(std::span<const std::byte> page) const {
  std::uint64_t image_pages = 0;
  std::memcpy(&image_pages, page.data() + kImagePagesOffset, sizeof image_pages);
  if (image_pages > 0 && image_pages < total_pages_) return {};
  return file_.failure(Errc::kIo, "read snapshot")
      .because("the image's first page announces {} data pages in a stream of {}: no image was made",
               image_pages, total_pages_);
}

Result<void> LinuxSnapshotDevice::set_swap_area(std::uint64_t device, std::uint64_t header_page) {
  resume_swap_area area{};
  area.offset = static_cast<std::int64_t>(header_page);
  area.dev = encoded_device(device);
  return file_.ioctl(SNAPSHOT_SET_SWAP_AREA, &area, Busy::kTryAgain);
}

Result<std::uint64_t> LinuxSnapshotDevice::available_swap_bytes() {
  std::int64_t bytes = 0;
  if (auto r = file_.ioctl(SNAPSHOT_AVAIL_SWAP_SIZE, &bytes, Busy::kTryAgain); !r)
    return std::unexpected(r.error());
  return static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0));
}

Result<DeviceOffset> LinuxSnapshotDevice::allocate_swap_page() {
  std::int64_t offset = 0;
  if (auto r = file_.ioctl(SNAPSHOT_ALLOC_SWAP_PAGE, &offset, Busy::kTryAgain); !r)
    return std::unexpected(r.error());
  // A slot is never the header's page; writing image data to a wrong place would destroy somebody's file
  // system.
  if (offset <= 0 || offset % page_bytes() != 0) {
    return file_.failure(Errc::kIo, "SNAPSHOT_ALLOC_SWAP_PAGE")
        .because("the kernel gave the impossible slot {}", offset);
  }
  return DeviceOffset{static_cast<std::uint64_t>(offset)};
}

Result<void> LinuxSnapshotDevice::free_swap_pages() {
  return file_.ioctl(SNAPSHOT_FREE_SWAP_PAGES, std::uintptr_t{0}, Busy::kTryAgain);
}

Result<void> LinuxSnapshotDevice::set_preferred_image_bytes(std::uint64_t bytes) {
  return file_.ioctl(SNAPSHOT_PREF_IMAGE_SIZE, static_cast<std::uintptr_t>(bytes), Busy::kTryAgain);
}

Result<void> LinuxSnapshotDevice::set_platform_support(bool on) {
  auto r = file_.ioctl(SNAPSHOT_PLATFORM_SUPPORT, std::uintptr_t{on ? 1U : 0U}, Busy::kTryAgain);
  if (r) platform_ = on;
  return r;
}

Result<void> LinuxSnapshotDevice::freeze() {
  return file_.freeze();
}

Result<void> LinuxSnapshotDevice::unfreeze() {
  if (image_held_) {
    return file_.failure(Errc::kUsage, "SNAPSHOT_UNFREEZE")
        .because("an image is still held; SNAPSHOT_FREE comes first");
  }
  return file_.ioctl(SNAPSHOT_UNFREEZE, std::uintptr_t{0}, Busy::kTryAgain);
}

Result<SnapshotState> LinuxSnapshotDevice::create_image() {
  int created = -1;
  total_pages_ = 0;
  pages_read_ = 0;
  if (auto r = file_.ioctl(SNAPSHOT_CREATE_IMAGE, &created, Busy::kRefusal); !r) {
    // Kernel threads may still be frozen, and a second attempt would wait for them for ever. What this one
    // says is of no interest beside the first error.
    static_cast<void>(file_.ioctl(SNAPSHOT_FREE, std::uintptr_t{0}, Busy::kTryAgain));
    return std::unexpected(r.error());
  }
  image_held_ = true;
  if (created == 1) return SnapshotState::kCreated;
  if (created == 0) return SnapshotState::kResumed;
  return file_.failure(Errc::kIo, "SNAPSHOT_CREATE_IMAGE")
      .because("the kernel answered {}, not 0 or 1", created);
}

Result<std::uint64_t> LinuxSnapshotDevice::image_bytes() {
  std::int64_t signed_bytes = 0;
  if (auto r = file_.ioctl(SNAPSHOT_GET_IMAGE_SIZE, &signed_bytes, Busy::kTryAgain); !r) {
    return std::unexpected(r.error());
  }
  const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(signed_bytes, 0));
  if (bytes % page_bytes() != 0 || bytes / page_bytes() < kMinImagePages) {
    return file_.failure(Errc::kIo, "SNAPSHOT_GET_IMAGE_SIZE")
        .because(
            "{} bytes are no image: a wake-up event stopped the kernel at the last moment, or "
            "/sys/power/pm_test is set",
            signed_bytes);
  }
  total_pages_ = bytes / page_bytes();
  return bytes;
}

Result<void> LinuxSnapshotDevice::free_image() {
  auto r = file_.ioctl(SNAPSHOT_FREE, std::uintptr_t{0}, Busy::kTryAgain);
  if (r) {
    image_held_ = false;
    total_pages_ = 0;
    pages_read_ = 0;
  }
  return r;
}

Result<void> LinuxSnapshotDevice::power_off() {
  if (!platform_) {
    return file_.failure(Errc::kUsage, "SNAPSHOT_POWER_OFF")
        .because("platform support was not switched on: the kernel would do nothing");
  }
  if (auto r = file_.ioctl(SNAPSHOT_POWER_OFF, std::uintptr_t{0}, Busy::kRefusal); !r) return r;
  return file_.failure(Errc::kIo, "SNAPSHOT_POWER_OFF").because("it returned without powering off");
}

Result<void> LinuxSnapshotDevice::suspend_to_ram() {
  auto r = file_.ioctl(SNAPSHOT_S2RAM, std::uintptr_t{0}, Busy::kRefusal);
  // The kernel then no longer counts the image as ready, although it still has it; free_image() gives it
  // back.
  if (r) image_held_ = false;
  return r;
}

}  // namespace dormouse
