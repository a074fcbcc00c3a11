/// Input: a disk as sparse_disk.h describes it. Read after all checksums have been made to fit.
#include "fuzz/fuzz_target.h"
#include "fuzz/reseal.h"
#include "fuzz/sparse_disk.h"
#include "fuzz/whole_image.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dormouse::test;
  SparseDisk sparse = unfold_disk(input_bytes(data, size));
  const auto area = find_area(sparse.disk, sparse.header_page);
  if (!area) return 0;
  reseal_image(sparse.disk, area->marked_image_header());
  read_whole_image(sparse.disk, *area);
  return 0;
}
