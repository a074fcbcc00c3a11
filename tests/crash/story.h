/// One run of a tool, as the medium saw it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dormouse/image_reader.h"
#include "dormouse/units.h"

#include "io/memory_block_device.h"
#include "support/write_log.h"
#include "swap/swap_disk.h"

namespace dormouse::test {

/// What a power cut leaves. The first two are well.
enum class Left : std::uint8_t {
  kPlain,       ///< plain swap, its header page as it was, byte for byte
  kImage,       ///< a mark that leads to one complete image, which is the one that was saved
  kTornHeader,  ///< a header page that is neither
  kNoImage,     ///< a mark that leads to no image header
  kDamaged,     ///< a mark that leads to an image that does not verify
  kOtherImage   ///< a mark that leads to another image than the one that was saved
};
std::string_view name(Left left);

/// Landmarks: from there on one thing only may be left.
inline constexpr std::string_view kGoesOff = "the machine goes off";     // kImage
inline constexpr std::string_view kRunsOn = "the machine runs on";       // kPlain
inline constexpr std::string_view kJumps = "the saved machine goes on";  // kPlain

struct Story {
  std::string name;
  SwapShape area;
  MemoryBlockDevice before;  ///< the medium when it began
  std::vector<LoggedCall> calls = {};
  Left begins = Left::kPlain;
  std::vector<std::byte> stream;      ///< of the image that is saved, or was
  std::uint32_t chunk_bytes = 0;      ///< at least that of any image on the medium
  std::set<std::uint64_t> ours = {};  ///< pages of the device that may be written, beside the swap header

  [[nodiscard]] std::uint64_t header_offset() const { return area.header_page * area.page_bytes; }
  [[nodiscard]] bool on_header(const LoggedCall& call) const {
    return call.kind == LoggedCall::Kind::kWrite && call.offset == header_offset();
  }
  /// A write of the swap header with ULSUSPEND in its last ten bytes.
  [[nodiscard]] bool marks(const LoggedCall& call) const;
};

/// Where an image may lie on a device with such an area.
ImageBounds bounds_of(const SwapShape& area);

/// The medium at the end, everything having arrived.
MemoryBlockDevice medium_after(const Story& story);

/// Writes that touch what is not the story's: bad pages, slots of others, what lies outside of the area.
std::vector<std::string> stray_writes(const Story& story);

}  // namespace dormouse::test
