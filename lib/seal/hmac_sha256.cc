#include "seal/hmac_sha256.h"

#include <algorithm>
#include <cstring>

#include "seal/digest_handle.h"
#include "seal/gcrypt_start.h"
#include "seal/wipe_stack.h"

namespace dormouse {
namespace {

constexpr std::size_t kDigestBytes = 32;
constexpr std::array<std::byte, kDigestBytes> kZeroKey{};

}  // namespace

HmacSha256::HmacSha256(std::unique_ptr<DigestHandle> digest) : digest_(std::move(digest)) {}
HmacSha256::HmacSha256(HmacSha256&&) noexcept = default;
HmacSha256& HmacSha256::operator=(HmacSha256&&) noexcept = default;
HmacSha256::~HmacSha256() = default;

Result<HmacSha256> HmacSha256::prepare() {
  if (auto started = start_gcrypt(); !started) return std::unexpected(started.error());
  auto digest = std::make_unique<DigestHandle>();
  const auto error = gcry_md_open(&digest->handle, GCRY_MD_SHA256, GCRY_MD_FLAG_HMAC | GCRY_MD_FLAG_SECURE);
  if (error != 0) return gcrypt_failure("prepare HMAC", error);
  HmacSha256 hmac(std::move(digest));
  // Once through, so that whatever the library sets up at the first use is there.
  if (auto r = hmac.set_key(kZeroKey); !r) return std::unexpected(r.error());
  std::array<std::byte, kDigestBytes> ignored{};
  hmac.value(ignored);
  return hmac;
}

Result<void> HmacSha256::set_key(std::span<const std::byte> key) {
  if (key.empty()) key = kZeroKey;
  if (const auto error = gcry_md_setkey(digest_->handle, key.data(), key.size()); error != 0)
    return gcrypt_failure("set HMAC key", error);
  return {};
}

void HmacSha256::update(std::span<const std::byte> data) {
  gcry_md_write(digest_->handle, data.data(), data.size());
}

void HmacSha256::value(std::span<std::byte, 32> target) {
  const auto* bytes = gcry_md_read(digest_->handle, GCRY_MD_SHA256);
  std::ranges::copy(std::as_bytes(std::span(bytes, target.size())), target.begin());
}

void HmacSha256::forget() {
  (void)set_key(kZeroKey);
  std::array<std::byte, kDigestBytes> ignored{};
  value(ignored);  // the last result stands in the context, too
}

Result<void> hkdf_sha256(HmacSha256& hmac, std::span<const std::byte> key_material,
                         std::span<const std::byte> salt, std::span<const std::byte> info,
                         std::span<std::byte> target) {
  const StackWiper wiper;
  std::array<std::byte, kDigestBytes> pseudorandom_key{};
  std::array<std::byte, kDigestBytes> block{};
  Result<void> done = hmac.set_key(salt);
  if (done) {
    hmac.update(key_material);
    hmac.value(pseudorandom_key);
  }
  for (std::size_t at = 0; done && at < target.size(); at += kDigestBytes) {
    done = hmac.set_key(pseudorandom_key);
    if (!done) break;
    if (at > 0) hmac.update(block);
    hmac.update(info);
    const auto number = static_cast<std::byte>(at / kDigestBytes + 1);
    hmac.update({&number, 1});
    hmac.value(block);
    const std::size_t count = std::min(kDigestBytes, target.size() - at);
    std::ranges::copy(std::span(block).first(count), target.subspan(at, count).begin());
  }
  hmac.forget();
  ::explicit_bzero(pseudorandom_key.data(), pseudorandom_key.size());
  ::explicit_bzero(block.data(), block.size());
  return done;
}

}  // namespace dormouse
