/// Keys for tests of sealed images: the cheapest that the format allows.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "dormouse/sealing.h"

#include "image/reference_seal.h"
#include "support/bytes.h"
#include "support/cheap_cost.h"
#include "support/raw_key.h"

namespace dormouse::test {

inline constexpr std::string_view kPassphrase = "seven sleepers, one mouse";
/// Leading zeros must survive.
inline constexpr std::string_view kRawKey{"\0\0dormouse: 32 bytes of a raw key", 32};
inline constexpr Cipher kCiphers[] = {Cipher::kAes256Gcm, Cipher::kAes256Ocb, Cipher::kChaCha20Poly1305};

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().what());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// Of kRawKey.
inline KeyFile make_raw_key() {
  return make_raw_key(bytes_of(kRawKey));
}

/// With one way: the raw key. No Argon2id is paid for.
inline ImageSeal make_seal(Cipher cipher = Cipher::kAes256Gcm) {
  auto seal = must(ImageSeal::prepare(cipher));
  must(seal.add_key_file(make_raw_key()));
  return seal;
}

/// What opens such an image for the reference reader.
inline ReferenceWay raw_secret() {
  ReferenceWay secret;  // its default is a key file
  std::ranges::copy(bytes_of(kRawKey), secret.raw_key.begin());
  return secret;
}

}  // namespace dormouse::test
