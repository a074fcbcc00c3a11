/// How well does the memory of this machine pack? Found out by packing some of it.
#pragma once

#include <cstdint>
#include <vector>

#include "dormouse/codec.h"

#include "kernel/host.h"

namespace dormouse {

struct SampleOptions {
  std::uint32_t page_bytes = 4096;
  std::size_t chunk_bytes = 64 * 1024;  ///< packed as one, a multiple of the page size
  std::size_t most_chunks = 256;
  std::uint64_t most_ns = 1'000'000'000;  ///< for all of it
};

struct PackedSample {
  std::uint64_t bytes = 0;     ///< that were packed; 0: nothing could be read
  std::vector<double> ratios;  ///< packed by unpacked, one for each codec asked for
};

/// Takes chunks at random, always the same ones of the same machine, from the memory that processes have for
/// themselves (anonymous and private), each process by its share of it, and packs each with all of `codecs`.
///
/// Changes nothing: only pages that are in memory by /proc/PID/pagemap are read, so nothing is swapped in,
/// and no mapping of a device or a file is touched. Processes that may not be read are left out: without
/// root, all but our own user's.
[[nodiscard]] PackedSample pack_sample(const std::vector<CodecSpec>& codecs, const SampleOptions& options,
                                       const Host& host);

}  // namespace dormouse
