/// Input: a disk as sparse_disk.h describes it. Read as it is.
#include "fuzz/fuzz_target.h"
#include "fuzz/sparse_disk.h"
#include "fuzz/whole_image.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dormouse::test;
  SparseDisk sparse = unfold_disk(input_bytes(data, size));
  if (const auto area = find_area(sparse.disk, sparse.header_page)) read_whole_image(sparse.disk, *area);
  return 0;
}
