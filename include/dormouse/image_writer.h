/// Writes a snapshot image into a swap area, chunk by chunk, on all cores.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "dormouse/block_device.h"
#include "dormouse/error.h"
#include "dormouse/figures.h"
#include "dormouse/image_options.h"
#include "dormouse/page_stream.h"
#include "dormouse/progress.h"
#include "dormouse/sealing.h"
#include "dormouse/swap_allocator.h"
#include "dormouse/units.h"

namespace dormouse {

/// What the image header says of the machine and of the swap area; none of it changes how the image is
/// written.
struct ImageIdentity {
  std::string_view architecture;
  std::string_view kernel_release;
  std::string_view host;
  std::string_view writer;  ///< tool and version
  std::uint64_t ram_bytes = 0;
  std::uint64_t size_cap_bytes = 0;
  bool platform = false;               ///< saved with firmware hooks
  std::uint64_t area_header_page = 0;  ///< page index of the swap header on the device
  std::array<std::byte, 16> area_uuid{};
  std::array<std::byte, 28> original_tail{};  ///< last 28 bytes of the swap header before any mark
};

/// What became of it.
struct WrittenImage {
  DeviceOffset header_at{};  ///< what the mark must point to
  ImageFigures image;
  TransferFigures write;
  std::uint64_t chunks = 0;
  std::uint64_t map_pages = 0;
  CodecCounts codecs{};  ///< what the chunks were packed with; one that does not shrink is stored
};

/// Why an image did not fit, in pages of the swap area.
struct RoomShortage {
  std::uint64_t image_pages = 0;   ///< of the snapshot
  std::uint64_t needed_pages = 0;  ///< told from what was stored so far; more than free_pages
  std::uint64_t free_pages = 0;    ///< when writing began
  /// What the codecs used so far make of usual memory, stored by unpacked; 0: one fixed codec.
  double usual_ratio = 0;
};

/// Example (file mode):
///     auto writer = ImageWriter::prepare(options, page_bytes);
///     auto header = allocator.allocate(1);
///     auto image = writer->write(source, device, allocator, header_at, identity, progress);
///     if (image) area.mark(image->header_at);
///
/// All memory (slots, stacks, codec contexts) is allocated and touched by prepare(); write() allocates
/// nothing, and the threads it starts have ended when it returns, so it may be called between freeze and
/// thaw.
class ImageWriter {
 public:
  /// kUsage for options out of range, kNoMemory. With `seal`, every image is sealed with a key that write()
  /// has it draw; it must outlive the writer, and have a way (else kUsage).
  static Result<ImageWriter> prepare(const ImageOptions& options, std::uint32_t page_bytes,
                                     ImageSeal* seal = nullptr);
  ImageWriter(ImageWriter&&) noexcept;
  ImageWriter& operator=(ImageWriter&&) noexcept;
  ~ImageWriter();

  /// Writes all pages of `source`, the swap map, and the image header to `header_at` (a page the allocator
  /// handed out); returns once all of it is durable. The image is not findable before the caller marks the
  /// area. Errors: kNoSpace with needed and free pages, kStopped, kIo of device or source. On any error the
  /// area is plain swap as before. The writer's own copies of a data key are overwritten before it returns;
  /// that of the seal is its owner's to wipe. Requires: source.page_bytes() is the prepared one.
  Result<WrittenImage> write(PageSource& source, BlockDevice& device, SwapAllocator& allocator,
                             DeviceOffset header_at, const ImageIdentity& identity, Progress& progress);

  /// Of the last write(), where it failed for want of room in the swap area.
  [[nodiscard]] const std::optional<RoomShortage>& shortage() const;

  /// Bytes held: (slots + workers) x chunk + stacks + codec and cipher contexts. Does not depend on the
  /// image.
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  struct State;
  explicit ImageWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dormouse
