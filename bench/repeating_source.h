/// A snapshot image of any length out of a piece of one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "dormouse/page_stream.h"
#include "dormouse/units.h"

namespace dormouse::bench {

/// Gives `piece` again and again until `total_bytes` were taken. The piece must outlive it.
/// Requires: `piece` and `total_bytes` are positive multiples of kMinPageBytes.
class RepeatingSource final : public PageSource {
 public:
  RepeatingSource(std::span<const std::byte> piece, std::uint64_t total_bytes)
      : piece_(piece), total_bytes_(total_bytes) {}

  [[nodiscard]] std::uint32_t page_bytes() const override { return kMinPageBytes; }
  [[nodiscard]] std::uint64_t total_pages() const override { return total_bytes_ / kMinPageBytes; }
  Result<std::size_t> read(std::span<std::byte> out) override {
    const auto bytes =
        static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), total_bytes_ - position_));
    for (std::size_t done = 0; done < bytes;) {
      const auto from = piece_.subspan((position_ + done) % piece_.size());
      const std::size_t step = std::min(from.size(), bytes - done);
      std::memcpy(out.data() + done, from.data(), step);
      done += step;
    }
    position_ += bytes;
    return bytes;
  }

 private:
  std::span<const std::byte> piece_;
  std::uint64_t total_bytes_;
  std::uint64_t position_ = 0;
};

}  // namespace dormouse::bench
