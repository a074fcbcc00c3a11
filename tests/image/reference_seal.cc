#include "image/reference_seal.h"

#include <gcrypt.h>

#include <algorithm>
#include <stdexcept>

#include "seal/sha256.h"
#include "support/bytes.h"
#include "swap/swap_disk.h"

namespace dormouse::test {
namespace {

constexpr std::uint8_t kChaCha20 = 3;

void must(gcry_error_t error, const char* what) {
  if (error != 0) throw std::runtime_error(std::string(what) + ": " + gcry_strerror(error));
}

/// libgcrypt takes its memory from where it was told first: the library under test must not find it started
/// already.
void start() {
  static const bool started = Sha256::prepare().has_value();
  if (!started) throw std::runtime_error("libgcrypt does not start");
}

ReferenceKey hash(std::span<const std::byte> key, std::span<const std::byte> bytes, bool keyed) {
  start();
  gcry_md_hd_t md = nullptr;
  must(gcry_md_open(&md, GCRY_MD_SHA256, keyed ? unsigned{GCRY_MD_FLAG_HMAC} : 0U), "open hash");
  if (keyed) must(gcry_md_setkey(md, key.data(), key.size()), "set hash key");
  gcry_md_write(md, bytes.data(), bytes.size());
  ReferenceKey result;
  std::memcpy(result.data(), gcry_md_read(md, GCRY_MD_SHA256), result.size());
  gcry_md_close(md);
  return result;
}

/// RFC 5869, for one block of output.
ReferenceKey hkdf(std::span<const std::byte> input, std::span<const std::byte> salt,
                  std::span<const std::byte> info) {
  const ReferenceKey extracted = hash(salt, input, true);
  const std::byte one{1};
  return hash(extracted, cat({info, {&one, 1}}), true);
}

class CipherContext {
 public:
  CipherContext(std::uint8_t cipher, const ReferenceKey& key, std::span<const std::byte> nonce,
                std::span<const std::byte> associated) {
    start();
    const int algorithm = cipher == kChaCha20 ? GCRY_CIPHER_CHACHA20 : GCRY_CIPHER_AES256;
    const int mode = cipher == kChaCha20 ? GCRY_CIPHER_MODE_POLY1305
                     : cipher == 2       ? GCRY_CIPHER_MODE_OCB
                                         : GCRY_CIPHER_MODE_GCM;
    must(gcry_cipher_open(&handle_, algorithm, mode, 0), "open cipher");
    must(gcry_cipher_setkey(handle_, key.data(), key.size()), "set key");
    must(gcry_cipher_setiv(handle_, nonce.data(), nonce.size()), "set nonce");
    must(gcry_cipher_authenticate(handle_, associated.data(), associated.size()), "authenticate");
    must(gcry_cipher_final(handle_), "final");
  }
  CipherContext(const CipherContext&) = delete;
  CipherContext& operator=(const CipherContext&) = delete;
  ~CipherContext() { gcry_cipher_close(handle_); }

  ReferenceTag encrypt(std::span<std::byte> text) {
    std::byte none{};
    must(gcry_cipher_encrypt(handle_, text.empty() ? &none : text.data(), text.size(), nullptr, 0),
         "encrypt");
    ReferenceTag tag;
    must(gcry_cipher_gettag(handle_, tag.data(), tag.size()), "get tag");
    return tag;
  }
  bool decrypt(std::span<std::byte> text, std::span<const std::byte> tag) {
    std::byte none{};
    must(gcry_cipher_decrypt(handle_, text.empty() ? &none : text.data(), text.size(), nullptr, 0),
         "decrypt");
    return gcry_cipher_checktag(handle_, tag.data(), tag.size()) == 0;
  }

 private:
  gcry_cipher_hd_t handle_ = nullptr;
};

Bytes nonce_for(std::uint32_t use, std::uint64_t number) {
  Bytes nonce(12);
  put_integer(nonce, 0, use, 4);
  put_integer(nonce, 4, number, 8);
  return nonce;
}

ReferenceKey argon2id(std::string_view passphrase, std::span<const std::byte> salt, std::uint64_t memory_kib,
                      std::uint64_t passes, std::uint64_t lanes) {
  start();
  const unsigned long parameters[] = {32, passes, memory_kib, lanes};
  gcry_kdf_hd_t kdf = nullptr;
  must(gcry_kdf_open(&kdf, GCRY_KDF_ARGON2, GCRY_KDF_ARGON2ID, parameters, 4, passphrase.data(),
                     passphrase.size(), salt.data(), salt.size(), nullptr, 0, nullptr, 0),
       "open Argon2id");
  must(gcry_kdf_compute(kdf, nullptr), "compute Argon2id");
  ReferenceKey key;
  must(gcry_kdf_final(kdf, key.size(), key.data()), "finish Argon2id");
  gcry_kdf_close(kdf);
  return key;
}

ReferenceKey x25519(const ReferenceKey& scalar, std::span<const std::byte> point) {
  start();
  ReferenceKey result;
  must(gcry_ecc_mul_point(GCRY_ECC_CURVE25519, reinterpret_cast<unsigned char*>(result.data()),
                          reinterpret_cast<const unsigned char*>(scalar.data()),
                          reinterpret_cast<const unsigned char*>(point.data())),
       "X25519");
  return result;
}

ReferenceKey public_half(const ReferenceKey& private_half) {
  ReferenceKey base{};
  base[0] = std::byte{9};
  return x25519(private_half, base);
}

Bytes wrap_data(Bytes slot, std::uint8_t cipher, std::span<const std::byte> image_id) {
  std::fill_n(slot.begin() + 48, 48, std::byte{0});
  const std::byte number{cipher};
  return cat({bytes_of("dormouse image key"), image_id, {&number, 1}, slot});
}

ReferenceKey passphrase_key(std::span<const std::byte> slot, std::string_view passphrase) {
  return argon2id(passphrase, slot.subspan(16, 16), get_integer(slot, 4, 4), get_integer(slot, 8, 4),
                  get_integer(slot, 12, 4));
}

template <std::size_t N>
void put_bytes(Bytes& slot, std::size_t at, const std::array<std::byte, N>& bytes) {
  std::ranges::copy(bytes, slot.begin() + static_cast<std::ptrdiff_t>(at));
}

/// Fills in what only key pairs have.
void make_pair(Bytes& slot, const ReferenceWay& way) {
  const ReferenceKey public_key = public_half(way.private_key);
  put_bytes(slot, 128, public_key);
  put_bytes(slot, 160, way.private_nonce);
  ReferenceKey half = way.private_key;
  CipherContext context(kChaCha20, passphrase_key(slot, way.passphrase), way.private_nonce,
                        cat({bytes_of("dormouse private key"), public_key}));
  const ReferenceTag tag = context.encrypt(half);
  put_bytes(slot, 176, half);
  put_bytes(slot, 208, tag);
}

ReferenceKey open_pair(std::span<const std::byte> slot, std::string_view passphrase) {
  ReferenceKey half;
  std::ranges::copy(slot.subspan(176, 32), half.begin());
  CipherContext context(kChaCha20, passphrase_key(slot, passphrase), slot.subspan(160, 12),
                        cat({bytes_of("dormouse private key"), slot.subspan(128, 32)}));
  if (!context.decrypt(half, slot.subspan(208, 16))) throw std::runtime_error("key slot: private half");
  return half;
}

/// The private half that opens a slot.
ReferenceKey private_half_of(std::span<const std::byte> slot, const ReferenceWay& secret) {
  switch (get_integer(slot, 0, 1)) {
    case 1:
      return passphrase_key(slot, secret.passphrase);
    case 2:
      return open_pair(slot, secret.passphrase);
    default:
      return hkdf(secret.raw_key, slot.subspan(16, 16), bytes_of("dormouse key file"));
  }
}

/// The key of a slot, from one private half and the other public half.
ReferenceKey slot_key(std::span<const std::byte> slot, const ReferenceKey& private_half,
                      const ReferenceKey& other_public, const ReferenceKey& way_public) {
  return hkdf(x25519(private_half, other_public), cat({slot.subspan(96, 32), way_public}),
              bytes_of("dormouse slot key"));
}

}  // namespace

std::vector<std::byte> make_reference_slot(const ReferenceWay& way, const ReferenceSealing& sealing,
                                           std::span<const std::byte> image_id) {
  Bytes slot(256);
  slot[0] = std::byte{way.way};
  if (way.way != 3) {
    put_integer(slot, 4, way.memory_kib, 4);
    put_integer(slot, 8, way.passes, 4);
    put_integer(slot, 12, way.lanes, 4);
  }
  put_bytes(slot, 16, way.salt);
  put_bytes(slot, 32, way.wrap_nonce);
  put_bytes(slot, 96, public_half(way.ephemeral_key));
  if (way.way == 2) make_pair(slot, way);
  const ReferenceKey way_public = public_half(private_half_of(slot, way));
  const ReferenceKey key = slot_key(slot, way.ephemeral_key, way_public, way_public);
  ReferenceKey wrapped = sealing.image_key;
  CipherContext context(kChaCha20, key, way.wrap_nonce, wrap_data(slot, sealing.cipher, image_id));
  const ReferenceTag tag = context.encrypt(wrapped);
  put_bytes(slot, 48, wrapped);
  put_bytes(slot, 80, tag);
  return slot;
}

ReferenceKey open_reference_slot(std::span<const std::byte> slot, const ReferenceWay& secret,
                                 std::uint8_t cipher, std::span<const std::byte> image_id) {
  const ReferenceKey private_half = private_half_of(slot, secret);
  ReferenceKey ephemeral_public;
  std::ranges::copy(slot.subspan(96, 32), ephemeral_public.begin());
  const ReferenceKey key = slot_key(slot, private_half, ephemeral_public, public_half(private_half));
  ReferenceKey image_key;
  std::ranges::copy(slot.subspan(48, 32), image_key.begin());
  CipherContext context(kChaCha20, key, slot.subspan(32, 12),
                        wrap_data({slot.begin(), slot.end()}, cipher, image_id));
  if (!context.decrypt(image_key, slot.subspan(80, 16))) throw std::runtime_error("key slot: wrapped key");
  return image_key;
}

ReferenceKey reference_data_key(const ReferenceKey& image_key, std::uint8_t cipher,
                                std::span<const std::byte> image_id) {
  const std::byte number{cipher};
  return hkdf(image_key, image_id, cat({bytes_of("dormouse image data"), {&number, 1}}));
}

ReferenceTag reference_seal(std::uint8_t cipher, const ReferenceKey& key, std::uint32_t use,
                            std::uint64_t number, std::span<const std::byte> associated,
                            std::span<std::byte> text) {
  return CipherContext(cipher, key, nonce_for(use, number), associated).encrypt(text);
}

bool reference_open(std::uint8_t cipher, const ReferenceKey& key, std::uint32_t use, std::uint64_t number,
                    std::span<const std::byte> associated, std::span<std::byte> text,
                    const ReferenceTag& tag) {
  return CipherContext(cipher, key, nonce_for(use, number), associated).decrypt(text, tag);
}

ReferenceKey reference_sha256(std::span<const std::byte> bytes) {
  return hash({}, bytes, false);
}

}  // namespace dormouse::test
