#include "boot/byte_stream.h"

#include <algorithm>

namespace dormouse {
namespace {

class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(std::span<const std::byte> bytes) : rest_(bytes) {}
  Result<std::size_t> read(std::span<std::byte> out) override {
    const std::size_t count = std::min(out.size(), rest_.size());
    std::ranges::copy(rest_.first(count), out.begin());
    rest_ = rest_.subspan(count);
    return count;
  }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace

std::unique_ptr<ByteStream> make_plain_stream(std::span<const std::byte> bytes) {
  return std::make_unique<PlainStream>(bytes);
}

}  // namespace dormouse
