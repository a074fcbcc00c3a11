/// Block devices by UUID=, LABEL=, PARTUUID= and PARTLABEL=.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dormouse/error.h"

#include "area/block_devices.h"
#include "area/name_text.h"
#include "kernel/host.h"

namespace dormouse {

/// What libblkid sees on a block device.
struct DeviceTags {
  std::string type = {};  ///< "swap", "swsuspend", "ext4"
  std::string uuid = {};
  std::string label = {};
  std::string part_uuid = {};
  std::string part_label = {};
};

/// Reads the device at each call; nothing is believed that udev or a cache remembers. kIo where it cannot be
/// read; empty where nothing is known of it, or where it shows two things at once.
Result<DeviceTags> read_tags(const SysDevice& device, bool of_partition, const Host& host);

struct TagSearch {
  std::vector<SysDevice> found = {};
  std::vector<std::string> skipped = {};  ///< devices that could not be read, with the reason
};

/// Every block device that carries the tag, without those that another one of them lies on.
Result<TagSearch> search_tag(const AreaTag& tag, const Host& host);

}  // namespace dormouse
