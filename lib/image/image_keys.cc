#include "image/image_keys.h"

#include "image/seal_records.h"

namespace dormouse {

Result<void> ImageKeys::prepare(Cipher cipher, unsigned workers) {
  if (cipher_ == cipher && aeads_.size() == workers) return {};
  ready_ = false;
  cipher_.reset();
  aeads_.clear();
  for (unsigned i = 0; i < workers; ++i) {
    auto aead = Aead::prepare(cipher);
    if (!aead) return std::unexpected(aead.error());
    aeads_.push_back(std::move(*aead));
  }
  cipher_ = cipher;
  return {};
}

Result<void> ImageKeys::take(std::span<const std::byte, kKeyBytes> data_key, const ImageHeader& header) {
  forget();
  Result<void> done{};
  for (Aead& aead : aeads_) {
    if (done) done = aead.set_key(data_key);
  }
  if (done) done = check_sealed_header(aeads_.front(), header);
  ready_ = done.has_value();
  if (!ready_) forget();
  return done;
}

void ImageKeys::forget() {
  ready_ = false;
  for (Aead& aead : aeads_) aead.forget();
}

std::uint64_t ImageKeys::memory_bytes() const {
  std::uint64_t bytes = 0;
  for (const Aead& aead : aeads_) bytes += aead.memory_bytes();
  return bytes;
}

}  // namespace dormouse
