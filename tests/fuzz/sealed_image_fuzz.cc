/// Input: a disk as sparse_disk.h describes it. All checksums are made to fit; then it is opened with the key
/// of the images in the corpus. Nobody who lacks the image key can make other pages come out.
#include "dormouse/image_reader.h"

#include "fuzz/faint_pages.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/reseal.h"
#include "fuzz/sparse_disk.h"
#include "fuzz/whole_image.h"
#include "image/seal_bed.h"

namespace dormouse::test {
namespace {

constexpr std::uint32_t kMaxChunkBytes = 256 * 1024;

/// The images of the corpus are of many lengths, but all begin alike.
class FaintSink final : public PageSink {
 public:
  explicit FaintSink(std::size_t page_bytes) : page_bytes_(page_bytes) {}
  Result<void> write(std::span<const std::byte> pages) override {
    const auto known = faint_pages(done_ + pages.size() / page_bytes_, page_bytes_);
    require(std::ranges::equal(std::span(known).subspan(done_ * page_bytes_), pages),
            "nothing comes out but what was sealed");
    done_ += pages.size() / page_bytes_;
    return {};
  }
  Result<void> finish() override { return {}; }

 private:
  std::size_t page_bytes_;
  std::size_t done_ = 0;
};

void read_sealed_image(MemoryBlockDevice& disk, const SwapArea& area) {
  static ImageReader reader = ImageReader::prepare(kMaxChunkBytes, 1, 0, Cipher::kAes256Gcm).value();
  static const KeyFile key = make_raw_key();
  const auto opened = reader.open(disk, area.marked_image_header(),
                                  {.end_page = area.header_page() + area.last_page() + 1,
                                   .swap_header_page = area.header_page(),
                                   .page_bytes = area.page_bytes()});
  if (!opened || !reader.sealed()) return;
  const ImageInfo info = reader.info();
  require(info.cipher && !info.ways.empty() && info.ways.size() <= kMaxKeyWays,
          "a sealed image says how to open it");
  const auto unlocked = reader.unlock(key);
  require(unlocked || unlocked.error().code == Errc::kWrongKey || unlocked.error().code == Errc::kCorrupt,
          "what does not open is kWrongKey or kCorrupt");
  FaintSink sink(info.image.page_bytes);
  NoProgress progress;
  const auto read = reader.read(sink, progress);
  require(unlocked || read.error().code == Errc::kUsage, "nothing is read without a key");
  require(!unlocked || read || read.error().code == Errc::kCorrupt, "a damaged image is kCorrupt");
  reader.forget_key();
}

}  // namespace
}  // namespace dormouse::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dormouse;
  using namespace dormouse::test;
  SparseDisk sparse = unfold_disk(input_bytes(data, size));
  const auto area = find_area(sparse.disk, sparse.header_page);
  if (!area || area->signature() != SwapSignature::kUserMark) return 0;
  reseal_image(sparse.disk, area->marked_image_header());
  read_sealed_image(sparse.disk, *area);
  return 0;
}
