/// Below the ciphers themselves, because settings and reports name them too.
#include <algorithm>
#include <array>

#include "dormouse/sealing.h"

namespace dormouse {
namespace {

struct NamedCipher {
  Cipher cipher;
  std::string_view name;
};

constexpr std::array kCiphers = std::to_array<NamedCipher>({
    {Cipher::kAes256Gcm, "aes-256-gcm"},
    {Cipher::kAes256Ocb, "aes-256-ocb"},
    {Cipher::kChaCha20Poly1305, "chacha20-poly1305"},
});

}  // namespace

std::string_view cipher_name(Cipher cipher) {
  const auto* found = std::ranges::find(kCiphers, cipher, &NamedCipher::cipher);
  return found == kCiphers.end() ? std::string_view{"unknown"} : found->name;
}

std::optional<Cipher> cipher_of(std::string_view name) {
  const auto* found = std::ranges::find(kCiphers, name, &NamedCipher::name);
  if (found == kCiphers.end()) return std::nullopt;
  return found->cipher;
}

}  // namespace dormouse
