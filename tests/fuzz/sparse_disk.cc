#include "fuzz/sparse_disk.h"

#include <algorithm>
#include <cstring>

#include "swap/swap_disk.h"

namespace dormouse::test {
namespace {

constexpr std::size_t kHead = 2;
constexpr std::size_t kSegmentHead = 6;
constexpr std::uint64_t kFewestBlocks = 4;
// Fewer zeros than this are cheaper than a new segment.
constexpr std::size_t kGap = kSegmentHead + 2;

}  // namespace

SparseDisk unfold_disk(std::span<const std::byte> input) {
  const auto head = [&](std::size_t i) {
    return i < input.size() ? std::to_integer<std::uint64_t>(input[i]) : 0;
  };
  SparseDisk sparse{.header_page = head(0) % 4,
                    .disk = MemoryBlockDevice((kFewestBlocks + head(1)) * kMinPageBytes, "disk")};
  input = input.subspan(std::min(kHead, input.size()));
  while (input.size() > kSegmentHead) {
    const std::uint64_t offset = get_integer(input, 0, 4);
    std::size_t length = std::min<std::size_t>(get_integer(input, 4, 2), input.size() - kSegmentHead);
    const auto bytes = input.subspan(kSegmentHead, length);
    input = input.subspan(kSegmentHead + length);
    if (offset >= sparse.disk.size_bytes()) continue;
    length = std::min<std::size_t>(length, sparse.disk.size_bytes() - offset);
    std::memcpy(sparse.disk.mutable_bytes(offset, length).data(), bytes.data(), length);
  }
  return sparse;
}

std::vector<std::byte> fold_disk(const MemoryBlockDevice& disk, std::uint64_t header_page) {
  const auto bytes = disk.bytes();
  std::vector<std::byte> folded = {static_cast<std::byte>(header_page),
                                   static_cast<std::byte>(bytes.size() / kMinPageBytes - kFewestBlocks)};
  const auto is_zero = [](std::byte b) { return b == std::byte{0}; };
  for (auto at = bytes.begin();;) {
    const auto start = std::find_if_not(at, bytes.end(), is_zero);
    if (start == bytes.end()) return folded;
    const auto limit = start + std::min<std::ptrdiff_t>(bytes.end() - start, 65535);
    auto end = start;
    for (std::size_t zeros = 0; end != limit && zeros < kGap; ++end) zeros = is_zero(*end) ? zeros + 1 : 0;
    while (is_zero(*(end - 1))) --end;
    const std::size_t segment = folded.size();
    folded.resize(segment + kSegmentHead);
    put_integer(folded, segment, static_cast<std::uint64_t>(start - bytes.begin()), 4);
    put_integer(folded, segment + 4, static_cast<std::uint64_t>(end - start), 2);
    folded.insert(folded.end(), start, end);
    at = end;
  }
}

}  // namespace dormouse::test
