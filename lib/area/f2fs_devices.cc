#include "area/f2fs_devices.h"

#include <linux/magic.h>

#include <cstring>

#include "base/little_endian.h"

namespace dormouse {
namespace {

// The superblock begins here, and its table of devices so far behind its start; an entry is the path and the
// number of segments. A file system on one device leaves the table empty.
constexpr std::size_t kSuperblock = 1024;
constexpr std::size_t kDevices = 2201;
constexpr std::size_t kEntryBytes = 64 + 4;

}  // namespace

bool f2fs_has_several_devices(std::span<const std::byte> head) {
  if (head.size() < kSuperblock + kDevices + 2 * kEntryBytes) return false;
  Le32 magic;
  std::memcpy(&magic, head.data() + kSuperblock, sizeof magic);
  return magic == std::uint32_t{F2FS_SUPER_MAGIC} &&
         head[kSuperblock + kDevices + kEntryBytes] != std::byte{0};
}

}  // namespace dormouse
