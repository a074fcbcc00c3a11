#include "tool/target_area.h"

#include <algorithm>

#include "kernel/snapshot_file.h"

namespace dormouse {

Result<OpenArea> open_area(const TargetArea& target, IoMode io, Access access, std::uint32_t page_bytes,
                           const Host& host) {
  OpenArea opened;
  // An area nobody uses is claimed, so that nobody begins to use it meanwhile.
  const bool exclusive = access == Access::kReadWrite && !target.active;
  auto data =
      PosixBlockDevice::open(target.path, {.io = io, .access = access, .exclusive = exclusive}, host.calls);
  if (!data) return std::unexpected(data.error());
  auto header = PosixBlockDevice::open(target.path, {.io = IoMode::kDirect, .access = access}, host.calls);
  // A file system without direct I/O: then there is no second way to the header, and in file mode no stale
  // cache.
  if (!header && target.regular_file)
    header = PosixBlockDevice::open(target.path, {.io = io, .access = access}, host.calls);
  if (!header) return std::unexpected(header.error());
  opened.data = std::move(*data);
  opened.header = std::move(*header);

  const std::uint32_t offset_unit = page_bytes != 0 ? page_bytes : system_page_bytes();
  auto area = SwapArea::open(*opened.header, page_offset(target.header_page, offset_unit));
  if (!area) return std::unexpected(area.error());
  if (page_bytes != 0 && area->page_bytes() != page_bytes) {
    return fail(Errc::kImpossible, "check swap area")
        .on(target.path)
        .because("it was made for pages of {} bytes, this kernel has pages of {}: make it anew with mkswap",
                 area->page_bytes(), page_bytes);
  }
  opened.area.emplace(std::move(*area));
  return opened;
}

std::uint64_t end_page(const TargetArea& target, const SwapArea& area) {
  const std::uint64_t device_end = area.device().size_bytes() / area.page_bytes();
  // A swap file's extents may lie anywhere on its device; a partition's or a plain area's only within itself.
  if (!target.regular_file && target.header_page != 0) return device_end;
  return std::min<std::uint64_t>(device_end, area.header_page() + area.last_page() + 1);
}

}  // namespace dormouse
