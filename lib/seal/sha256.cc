#include "seal/sha256.h"

#include <algorithm>

#include "seal/digest_handle.h"
#include "seal/gcrypt_start.h"

namespace dormouse {

Sha256::Sha256(std::unique_ptr<DigestHandle> digest) : digest_(std::move(digest)) {}
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

Result<Sha256> Sha256::prepare() {
  if (auto started = start_gcrypt(); !started) return std::unexpected(started.error());
  auto digest = std::make_unique<DigestHandle>();
  if (const auto error = gcry_md_open(&digest->handle, GCRY_MD_SHA256, 0); error != 0)
    return gcrypt_failure("prepare SHA-256", error);
  Sha256 hash(std::move(digest));
  // Once through, so that whatever the library sets up at the first use is there.
  (void)hash.value();
  hash.reset();
  return hash;
}

void Sha256::reset() {
  gcry_md_reset(digest_->handle);
}

void Sha256::update(std::span<const std::byte> data) {
  gcry_md_write(digest_->handle, data.data(), data.size());
}

Sha256Digest Sha256::value() {
  Sha256Digest digest{};
  const auto* bytes = gcry_md_read(digest_->handle, GCRY_MD_SHA256);
  std::ranges::copy(std::as_bytes(std::span(bytes, digest.size())), digest.begin());
  return digest;
}

}  // namespace dormouse
