/// Ready-made implementations of the seams over files and block devices.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dormouse/block_device.h"
#include "dormouse/error.h"
#include "dormouse/image_options.h"
#include "dormouse/page_stream.h"

namespace dormouse {

/// A block device, or a regular file, that holds a swap area. Errors name path, offset and errno; kUsage for
/// anything else and for a file system without direct I/O, kBusy where it is taken.
Result<std::unique_ptr<BlockDevice>> open_storage(const std::string& path, IoMode io);

/// A snapshot stream in a file: whole pages of `page_bytes`.
Result<std::unique_ptr<PageSource>> open_snapshot_file(const std::string& path, std::uint32_t page_bytes);

/// Where a recovered stream goes; the file appears whole, on finish(), or not at all.
Result<std::unique_ptr<PageSink>> create_snapshot_file(const std::string& path);

}  // namespace dormouse
