/// The bytes of one cpio archive in an initramfs, unpacked as they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "dormouse/error.h"

namespace dormouse {

/// Forward only. One thread.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Fills `out` as far as there is something left: less than asked for, only at the end.
  virtual Result<std::size_t> read(std::span<std::byte> out) = 0;
};

/// Of bytes that are there as they are; they outlive the stream.
std::unique_ptr<ByteStream> make_plain_stream(std::span<const std::byte> bytes);

/// Of bytes packed in any way the kernel unpacks an initramfs from: gzip, bzip2, lzma, xz, lz4, zstd. `path`
/// and `at`, where in that file the bytes begin, are for messages. kCorrupt where they are packed in no such
/// way.
Result<std::unique_ptr<ByteStream>> make_unpacking_stream(std::span<const std::byte> bytes,
                                                          const std::string& path, std::uint64_t at);

}  // namespace dormouse
