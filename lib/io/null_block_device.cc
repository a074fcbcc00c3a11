#include "io/null_block_device.h"

#include <cstring>

#include "io/block_range.h"

namespace dormouse {

Result<void> NullBlockDevice::write(DeviceOffset offset, std::span<const std::byte> data) {
  if (auto r = check_block_range(*this, "write", offset, data.data(), data.size()); !r) return r;
  written_bytes_.fetch_add(data.size(), std::memory_order_relaxed);
  return {};
}

Result<void> NullBlockDevice::read(DeviceOffset offset, std::span<std::byte> out) {
  if (auto r = check_block_range(*this, "read", offset, out.data(), out.size()); !r) return r;
  if (!out.empty()) std::memset(out.data(), 0, out.size());
  return {};
}

}  // namespace dormouse
