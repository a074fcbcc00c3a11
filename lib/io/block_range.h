/// The rule about offsets, lengths and buffers that all block devices share.
#pragma once

#include <cstddef>
#include <string_view>

#include "dormouse/block_device.h"

namespace dormouse {

/// kUsage with the numbers where a transfer breaks the rule of BlockDevice: all in multiples of
/// kMinPageBytes, within the device. `operation` is a literal.
Result<void> check_block_range(const BlockDevice& device, std::string_view operation, DeviceOffset offset,
                               const std::byte* data, std::size_t bytes);

}  // namespace dormouse
