/// A message digest of libgcrypt, plain or keyed.
#pragma once

#include "seal/gcrypt_start.h"

namespace dormouse {

/// Owns it; null until gcry_md_open().
struct DigestHandle {
  gcry_md_hd_t handle = nullptr;
  DigestHandle() = default;
  DigestHandle(const DigestHandle&) = delete;
  DigestHandle& operator=(const DigestHandle&) = delete;
  ~DigestHandle() { gcry_md_close(handle); }
};

}  // namespace dormouse
