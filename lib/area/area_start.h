/// The first page of a swap area, read through its block device.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "dormouse/error.h"

#include "base/aligned_buffer.h"
#include "kernel/host.h"

namespace dormouse {

/// As much as the largest page takes, or what the device has from `offset` on, if that is less. Past the page
/// cache where the device can; never waits for a medium. Requires: offset is a multiple of kMinPageBytes.
struct AreaStart {
  AlignedBuffer buffer;
  std::size_t bytes = 0;
  [[nodiscard]] std::span<const std::byte> span() const { return buffer.span().first(bytes); }
};
Result<AreaStart> read_area_start(const std::string& path, std::uint64_t offset, const Host& host);

}  // namespace dormouse
