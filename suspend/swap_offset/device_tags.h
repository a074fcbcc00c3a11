/// What a block device is called wherever it is plugged in.
#pragma once

#include <string>

namespace dormouse {

struct DeviceTags {
  std::string uuid;      ///< of the file system or swap area on it; empty where there is none
  std::string partuuid;  ///< of the partition; empty where it is none
};

/// By libblkid; tags that cannot be read are empty.
[[nodiscard]] DeviceTags device_tags(const std::string& path);

/// Whether another device carries the same UUID, as all devices of one btrfs do. Looks at all devices there
/// are.
[[nodiscard]] bool uuid_is_shared(const std::string& path, const std::string& uuid);

}  // namespace dormouse
