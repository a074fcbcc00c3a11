/// Where a file lies on btrfs, which gives its own addresses to everybody and has no device number of its
/// own.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "dormouse/error.h"

#include "area/btrfs_records.h"
#include "area/file_layout.h"
#include "area/probed_file.h"

namespace dormouse {

struct BtrfsPlace {
  FileLayout layout;
  std::string device_path;
  std::uint64_t device_number = 0;  ///< st_rdev
};

/// A stretch of a file on one device.
struct BtrfsStretch {
  std::uint64_t device_id = 0;
  std::uint64_t physical = 0;
  std::uint64_t bytes = 0;  ///< at most what was asked for; less where the chunk ends before
};

/// Through the chunks, which are sorted. kImpossible for a profile with copies or stripes; kIo for an address
/// that is in no chunk. `path` and `file_at` are for the message.
Result<BtrfsStretch> find_btrfs_stretch(std::span<const BtrfsChunk> chunks, const BtrfsFileExtent& extent,
                                        const std::string& path);

/// Needs root. kImpossible, with the remedy, for what no kernel swaps on.
Result<BtrfsPlace> read_btrfs_place(const ProbedFile& file);

}  // namespace dormouse
