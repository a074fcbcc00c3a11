#include "crash/judge.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "format/swap_header.h"
#include "image/memory_pages.h"
#include "image/reference_image.h"

namespace dormouse::test {
namespace {

/// Not std::equal, which at -O0 goes from byte to byte: this is asked hundreds of thousands of times.
bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

Judge::Judge(const Story& story) : story_(story), plain_page_(make_swap_page(story.area)) {}

Left Judge::judge(CutDisk& disk) {
  const auto page = disk.watched();
  if (same_bytes(page, plain_page_)) return Left::kPlain;
  const MarkTail plain = get_tail(plain_page_);
  const MarkTail tail = get_tail(page);
  const auto body = page.first(page.size() - sizeof(MarkTail));
  const bool marked = same_bytes(body, std::span(plain_page_).first(body.size())) &&
                      std::ranges::equal(tail.signature, kUserSignature) &&
                      tail.original_signature == plain.signature;
  if (!marked) return Left::kTornHeader;

  const Digest digest = disk.digest();
  const auto known = verdicts_.find(digest);
  if (known != verdicts_.end()) return known->second;
  const Left left = judge_image(disk.medium(), DeviceOffset{std::uint64_t{tail.image_header_offset}});
  verdicts_.emplace(digest, left);
  return left;
}

Left Judge::judge_image(MemoryBlockDevice& medium, DeviceOffset image_header) {
  if (!reader_) reader_.emplace(ImageReader::prepare(story_.chunk_bytes, 1).value());
  if (auto r = reader_->open(medium, image_header, bounds_of(story_.area)); !r) {
    return r.error().code == Errc::kNoImage ? Left::kNoImage : Left::kDamaged;
  }
  // What is put back when the mark is taken off.
  if (reader_->original_tail() != std::bit_cast<MarkTailBytes>(get_tail(plain_page_))) return Left::kDamaged;
  MemoryPageSink sink(reader_->figures().bytes());
  NoProgress progress;
  if (!reader_->read(sink, progress)) return Left::kDamaged;
  if (!same_bytes(sink.pages(), story_.stream)) return Left::kOtherImage;
  try {
    return same_bytes(read_reference_image(medium, to_bytes(image_header)), story_.stream) ? Left::kImage
                                                                                           : Left::kDamaged;
  } catch (const std::runtime_error&) {
    return Left::kDamaged;
  }
}

}  // namespace dormouse::test
