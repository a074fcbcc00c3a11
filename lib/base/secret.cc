#include "dormouse/secret.h"

#include <cstring>

#include "base/private_memory.h"

namespace dormouse {

Result<Secret> Secret::allocate(std::size_t bytes) {
  const auto pages = map_private_pages(bytes, PageLock::kRequired);
  if (!pages) return std::unexpected(pages.error());
  Secret secret;
  secret.data_ = pages->data;
  secret.size_ = bytes;
  secret.mapped_bytes_ = pages->bytes;
  return secret;
}

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    mapped_bytes_ = std::exchange(other.mapped_bytes_, 0);
  }
  return *this;
}

void Secret::shrink(std::size_t bytes) {
  if (data_ != nullptr) ::explicit_bzero(data_ + bytes, mapped_bytes_ - bytes);
  size_ = bytes;
}

void Secret::wipe() {
  // All that is mapped: what was cut off by shrink() may have been written again through an older span.
  if (data_ != nullptr) ::explicit_bzero(data_, mapped_bytes_);
}

void Secret::release() {
  unmap_private_pages({.data = data_, .bytes = mapped_bytes_});
  data_ = nullptr;
  size_ = 0;
  mapped_bytes_ = 0;
}

}  // namespace dormouse
