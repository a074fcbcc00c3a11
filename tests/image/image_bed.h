/// What most tests of images need: a disk with a swap area, a writer, a reader, and one call for each.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dormouse/image_reader.h"
#include "dormouse/image_writer.h"
#include "dormouse/swap_area.h"

#include "image/memory_pages.h"
#include "swap/swap_disk.h"

namespace dormouse::test {

inline const CodecSpec kNone{.id = CodecId::kStored, .level = 0};
inline const CodecSpec kLzf{.id = CodecId::kLzf, .level = 0};
inline const CodecSpec kLz4{.id = CodecId::kLz4, .level = 1};
inline const CodecSpec kZstd{.id = CodecId::kZstd, .level = 1};

/// Opens the area on `device`, lays its header page out, and writes one image. The swap header stays plain.
class ImageBed {
 public:
  explicit ImageBed(BlockDevice& device, const SwapShape& shape = {}) : device_(device), shape_(shape) {
    auto area = SwapArea::open(device, page_offset(shape.header_page, shape.page_bytes));
    if (!area) throw std::runtime_error(area.error().what());
    area_ = std::make_unique<SwapArea>(std::move(*area));
    allocator_ = make_free_layout_allocator(*area_);
  }

  Result<WrittenImage> write(PageSource& source, const ImageOptions& options, SwapAllocator& allocator,
                             Progress& progress) {
    auto writer = ImageWriter::prepare(options, shape_.page_bytes);
    if (!writer) return std::unexpected(writer.error());
    return write_with(*writer, source, allocator, progress);
  }
  Result<WrittenImage> write_with(ImageWriter& writer, PageSource& source, SwapAllocator& allocator,
                                  Progress& progress) {
    const auto place = allocator.allocate(1);
    if (!place) return std::unexpected(place.error());
    header_at_ = page_offset(place->first_page, shape_.page_bytes);
    ImageIdentity identity;
    identity.architecture = "x86_64";
    identity.kernel_release = "6.1.0-test";
    identity.host = "testhost";
    identity.writer = "test";
    identity.area_header_page = shape_.header_page;
    identity.area_uuid = area_->uuid();
    identity.original_tail = area_->tail();
    return writer.write(source, device_, allocator, header_at_, identity, progress);
  }
  Result<WrittenImage> write(std::span<const std::byte> image, const ImageOptions& options) {
    MemoryPageSource source(image, shape_.page_bytes);
    NoProgress progress;
    return write(source, options, *allocator_, progress);
  }

  [[nodiscard]] ImageBounds bounds() const {
    return {.end_page = device_.size_bytes() / shape_.page_bytes,
            .swap_header_page = shape_.header_page,
            .page_bytes = shape_.page_bytes};
  }
  /// What the header of the image that was written says.
  [[nodiscard]] ImageInfo info() const {
    auto reader = ImageReader::prepare(shape_.page_bytes, 1);
    if (!reader) throw std::runtime_error(reader.error().what());
    if (auto r = reader->open(device_, header_at_, bounds()); !r) throw std::runtime_error(r.error().what());
    return reader->info();
  }
  /// Everything read back, or what went wrong; `delivered` keeps what came before an error.
  Result<std::vector<std::byte>> read(DeviceOffset header_at, unsigned threads = 1,
                                      std::vector<std::byte>* delivered = nullptr,
                                      std::uint32_t max_chunk_bytes = 16 * 4096) {
    auto reader = ImageReader::prepare(max_chunk_bytes, threads);
    if (!reader) return std::unexpected(reader.error());
    if (auto r = reader->open(device_, header_at, bounds()); !r) return std::unexpected(r.error());
    MemoryPageSink sink(reader->figures().bytes());
    NoProgress progress;
    auto figures = reader->read(sink, progress);
    if (delivered != nullptr) *delivered = sink.pages();
    EXPECT_EQ(sink.finished(), figures.has_value()) << "finish() is for whole images only";
    if (!figures) return std::unexpected(figures.error());
    return sink.pages();
  }

  [[nodiscard]] SwapArea& area() { return *area_; }
  [[nodiscard]] SwapAllocator& allocator() { return *allocator_; }
  [[nodiscard]] DeviceOffset header_at() const { return header_at_; }

 private:
  BlockDevice& device_;
  SwapShape shape_;
  std::unique_ptr<SwapArea> area_;
  std::unique_ptr<SwapAllocator> allocator_;
  DeviceOffset header_at_{};
};

}  // namespace dormouse::test
