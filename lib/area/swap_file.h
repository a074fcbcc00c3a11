/// Where a swap file lies on its block device (kernel-facts D.7).
#pragma once

#include <cstdint>
#include <string>

#include "dormouse/error.h"

#include "kernel/host.h"

namespace dormouse {

struct SwapFilePlace {
  std::string file;                 ///< the path as given
  std::string device_path;          ///< node of the block device that the kernel uses
  std::uint64_t device_number = 0;  ///< st_rdev of that device
  std::uint64_t header_page = 0;    ///< resume_offset: pages from the start of the device to the swap header
  std::uint64_t size_bytes = 0;     ///< of the file
  std::uint64_t extents = 0;        ///< runs that lie apart on the device
  std::string file_system;          ///< "ext4", "xfs", "f2fs", "btrfs"
};

/// Works the place out from the file system and proves it by reading the swap signature there through the
/// block device. Needs root for the device, and for btrfs. `page_bytes`: the kernel's page size.
/// kUsage for what is no regular file; kImpossible, with the reason and the remedy, for a file that no kernel
/// can resume from (holes, compressed, copy on write, several devices, RAID, unaligned, no block device).
Result<SwapFilePlace> locate_swap_file(const std::string& path, std::uint32_t page_bytes,
                                       const Host& host = {});

}  // namespace dormouse
