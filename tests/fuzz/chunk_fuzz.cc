/// Input: a byte that names the codec, two for the length that the chunk should have, then the packed bytes.
#include <array>
#include <memory>

#include "dormouse/codec.h"

#include "fuzz/fuzz_target.h"
#include "fuzz/guarded_buffer.h"

namespace dormouse::test {
namespace {

constexpr std::size_t kHead = 3;
constexpr std::size_t kMaxBytes = 65536;

/// Unpackers are made once, as the reader makes them: state must not leak from one chunk into the next.
Codec& unpacker(CodecId id) {
  static const auto all = [] {
    std::array<std::unique_ptr<Codec>, 4> made;
    for (const CodecId each : {CodecId::kStored, CodecId::kLzf, CodecId::kLz4, CodecId::kZstd})
      made[static_cast<std::size_t>(each)] = make_unpacker(each, kMaxBytes).value();
    return made;
  }();
  return *all[static_cast<std::size_t>(id)];
}

}  // namespace
}  // namespace dormouse::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dormouse;
  using namespace dormouse::test;
  if (size < kHead || size - kHead > kMaxBytes) return 0;
  static GuardedBuffer in(kMaxBytes);
  static GuardedBuffer out(kMaxBytes);
  Codec& codec = unpacker(static_cast<CodecId>(data[0] % 4));
  const auto packed = in.last(size - kHead);
  std::ranges::copy(input_bytes(data, size).subspan(kHead), packed.begin());
  const auto unpacked = out.last(1U + data[1] + 256U * data[2]);
  // Twice, into memory that held something else each time: a chunk that is accepted has been filled to the
  // last byte.
  std::ranges::fill(unpacked, std::byte{0x00});
  const auto first = codec.unpack(packed, unpacked);
  require(first || (first.error().code == Errc::kCorrupt && !first.error().detail.empty()),
          "what cannot be unpacked is kCorrupt, with a reason");
  if (!first) return 0;
  const std::vector<std::byte> got(unpacked.begin(), unpacked.end());
  std::ranges::fill(unpacked, std::byte{0xff});
  require(codec.unpack(packed, unpacked) && std::ranges::equal(unpacked, got),
          "an accepted chunk is filled completely");
  return 0;
}
