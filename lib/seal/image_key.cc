#include "seal/image_key.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <ctime>
#include <string_view>

#include "base/little_endian.h"
#include "seal/random_bytes.h"
#include "seal/wipe_stack.h"

namespace dormouse {
namespace {

constexpr std::string_view kDrawLabel = "dormouse draw";
constexpr std::string_view kDataLabel = "dormouse image data";
constexpr std::string_view kWrapLabel = "dormouse image key";

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

Le64 nanoseconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

constexpr std::size_t kWrapBytes = kWrapLabel.size() + 16 + 1 + sizeof(KeySlot);

std::array<std::byte, kWrapBytes> associated_data(KeySlot slot, const ImageBinding& binding) {
  slot.wrapped_key = {};
  slot.wrap_tag = {};
  std::array<std::byte, kWrapBytes> data{};
  auto at = std::ranges::copy(bytes_of(kWrapLabel), data.begin()).out;
  at = std::ranges::copy(binding.image_id, at).out;
  *at++ = static_cast<std::byte>(binding.cipher);
  std::ranges::copy(std::as_bytes(std::span(&slot, 1)), at);
  return data;
}

}  // namespace

/// What has moved on since the snapshot.
struct ImageKeySource::Moment {
  Le64 monotonic;
  Le64 wall;
  Le64 since_boot;
  Le64 draws_before;
  std::array<std::byte, 16> image_id;
};

ImageKeySource::~ImageKeySource() {
  ::explicit_bzero(seed_.data(), seed_.size());
  hmac_.forget();
  wipe_stack();
}

Result<void> ImageKeySource::open(std::span<const std::byte, 16> image_id, std::uint64_t draws_before) {
  if (auto r = fill_random(seed_); !r) return r;
  Moment moment{.monotonic = nanoseconds(CLOCK_MONOTONIC),
                .wall = nanoseconds(CLOCK_REALTIME),
                .since_boot = nanoseconds(CLOCK_BOOTTIME),
                .draws_before = draws_before,
                .image_id = {}};
  std::ranges::copy(image_id, moment.image_id.begin());
  static_assert(sizeof(Moment) == sizeof moment_);
  moment_ = std::bit_cast<decltype(moment_)>(moment);
  return {};
}

Result<void> ImageKeySource::draw(KeySpan target) {
  if (auto r = hmac_.set_key(seed_); !r) return r;
  const Le64 number = number_++;
  hmac_.update(bytes_of(kDrawLabel));
  hmac_.update(std::as_bytes(std::span(&number, 1)));
  hmac_.update(moment_);
  hmac_.value(target);
  return {};
}

Result<void> derive_data_key(HmacSha256& hmac, ConstKeySpan image_key, const ImageBinding& binding,
                             KeySpan data_key) {
  std::array<std::byte, kDataLabel.size() + 1> info{};
  *std::ranges::copy(bytes_of(kDataLabel), info.begin()).out = static_cast<std::byte>(binding.cipher);
  return hkdf_sha256(hmac, image_key, binding.image_id, info, data_key);
}

Result<void> wrap_image_key(Aead& aead, KeySlot& slot, ConstKeySpan slot_key, const ImageBinding& binding,
                            ConstKeySpan image_key) {
  if (auto r = aead.set_key(slot_key); !r) return r;
  const auto done =
      aead.seal(slot.wrap_nonce, associated_data(slot, binding), image_key, slot.wrapped_key, slot.wrap_tag);
  aead.forget();
  return done;
}

Result<void> unwrap_image_key(Aead& aead, const KeySlot& slot, ConstKeySpan slot_key,
                              const ImageBinding& binding, KeySpan image_key) {
  if (auto r = aead.set_key(slot_key); !r) return r;
  const auto done =
      aead.open(slot.wrap_nonce, associated_data(slot, binding), slot.wrapped_key, image_key, slot.wrap_tag);
  aead.forget();
  if (done || done.error().code != Errc::kCorrupt) return done;
  return fail(Errc::kWrongKey, "open key slot").because("it is not opened by this key");
}

}  // namespace dormouse
