#include "io/block_range.h"

namespace dormouse {

Result<void> check_block_range(const BlockDevice& device, std::string_view operation, DeviceOffset offset,
                               const std::byte* data, std::size_t bytes) {
  const auto start = to_bytes(offset);
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  if (start % kMinPageBytes != 0 || bytes % kMinPageBytes != 0 || address % kMinPageBytes != 0) {
    return fail(Errc::kUsage, operation)
        .on(device.name())
        .at(start)
        .because("{} bytes, buffer {} past an aligned address: all must be multiples of {}", bytes,
                 address % kMinPageBytes, kMinPageBytes);
  }
  const auto size = device.size_bytes();
  if (start > size || bytes > size - start) {
    return fail(Errc::kUsage, operation)
        .on(device.name())
        .at(start)
        .because("{} bytes from here do not fit in a device of {}", bytes, size);
  }
  return {};
}

}  // namespace dormouse
