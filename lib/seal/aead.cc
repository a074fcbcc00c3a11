#include "seal/aead.h"

#include <bit>
#include <cstring>

#include "base/little_endian.h"
#include "seal/gcrypt_start.h"
#include "seal/wipe_stack.h"

namespace dormouse {
namespace {

constexpr std::string_view kSeal = "seal";
constexpr std::string_view kOpen = "open";
constexpr std::array<std::byte, kKeyBytes> kZeroKey{};
/// Said of a context in a program that started libgcrypt itself, whose memory cannot be asked.
constexpr std::uint64_t kAssumedContextBytes = 16 << 10;

struct Algorithm {
  int algorithm;
  int mode;
};

Algorithm algorithm_of(Cipher cipher) {
  switch (cipher) {
    case Cipher::kAes256Gcm:
      return {.algorithm = GCRY_CIPHER_AES256, .mode = GCRY_CIPHER_MODE_GCM};
    case Cipher::kAes256Ocb:
      return {.algorithm = GCRY_CIPHER_AES256, .mode = GCRY_CIPHER_MODE_OCB};
    case Cipher::kChaCha20Poly1305:
      return {.algorithm = GCRY_CIPHER_CHACHA20, .mode = GCRY_CIPHER_MODE_POLY1305};
  }
  return {.algorithm = GCRY_CIPHER_NONE, .mode = GCRY_CIPHER_MODE_NONE};
}

}  // namespace

Nonce make_nonce(NonceUse use, std::uint64_t number) {
  struct Fields {
    Le32 use;
    Le64 number;
  };
  static_assert(sizeof(Fields) == sizeof(Nonce));
  return std::bit_cast<Nonce>(Fields{.use = static_cast<std::uint32_t>(use), .number = number});
}

struct Aead::Context {
  gcry_cipher_hd_t handle = nullptr;
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { gcry_cipher_close(handle); }

  /// Up to the text itself.
  gcry_error_t begin(const Nonce& nonce, std::span<const std::byte> associated) const {
    if (auto error = gcry_cipher_setiv(handle, nonce.data(), nonce.size()); error != 0) return error;
    if (!associated.empty()) {
      if (auto error = gcry_cipher_authenticate(handle, associated.data(), associated.size()); error != 0)
        return error;
    }
    return gcry_cipher_final(handle);
  }
};

Aead::Aead(std::unique_ptr<Context> context) : context_(std::move(context)) {}
Aead::Aead(Aead&&) noexcept = default;
Aead& Aead::operator=(Aead&&) noexcept = default;
Aead::~Aead() = default;

Result<Aead> Aead::prepare(Cipher cipher) {
  if (auto started = start_gcrypt(); !started) return std::unexpected(started.error());
  auto context = std::make_unique<Context>();
  const auto [algorithm, mode] = algorithm_of(cipher);
  if (const auto error = gcry_cipher_open(&context->handle, algorithm, mode, GCRY_CIPHER_SECURE); error != 0)
    return gcrypt_failure("prepare cipher", error);
  Aead aead(std::move(context));
  // Once through: at the first use libgcrypt tests the cipher, and allocates for it.
  if (auto r = aead.try_out(); !r) return during("prepare cipher", r.error());
  aead.forget();
  return aead;
}

Result<void> Aead::try_out() {
  std::array<std::byte, 256> text{};
  Tag tag{};
  if (auto r = set_key(kZeroKey); !r) return r;
  if (auto r = seal(Nonce{}, {}, text, text, tag); !r) return r;
  return open(Nonce{}, {}, text, text, tag);
}

Result<void> Aead::set_key(std::span<const std::byte, kKeyBytes> key) {
  const StackWiper wiper;
  if (const auto error = gcry_cipher_setkey(context_->handle, key.data(), key.size()); error != 0)
    return gcrypt_failure("set cipher key", error);
  return {};
}

Result<void> Aead::seal(const Nonce& nonce, std::span<const std::byte> associated,
                        std::span<const std::byte> plain, std::span<std::byte> sealed, Tag& tag) {
  const StackWiper wiper;  // ChaCha20 leaves its whole key
  std::byte nothing{};
  auto error = context_->begin(nonce, associated);
  if (error == 0) {
    // In place is said by leaving out the source.
    const bool in_place = plain.empty() || plain.data() == sealed.data();
    error = gcry_cipher_encrypt(context_->handle, sealed.empty() ? &nothing : sealed.data(), sealed.size(),
                                in_place ? nullptr : plain.data(), in_place ? 0 : plain.size());
  }
  if (error == 0) error = gcry_cipher_gettag(context_->handle, tag.data(), tag.size());
  if (error != 0) return gcrypt_failure(kSeal, error);
  return {};
}

Result<void> Aead::open(const Nonce& nonce, std::span<const std::byte> associated,
                        std::span<const std::byte> sealed, std::span<std::byte> plain, const Tag& tag) {
  const StackWiper wiper;
  std::byte nothing{};
  auto error = context_->begin(nonce, associated);
  if (error == 0) {
    const bool in_place = sealed.empty() || sealed.data() == plain.data();
    error = gcry_cipher_decrypt(context_->handle, plain.empty() ? &nothing : plain.data(), plain.size(),
                                in_place ? nullptr : sealed.data(), in_place ? 0 : sealed.size());
  }
  if (error == 0) error = gcry_cipher_checktag(context_->handle, tag.data(), tag.size());
  if (error == 0) return {};
  if (!plain.empty()) ::explicit_bzero(plain.data(), plain.size());
  if (gcry_err_code(error) != GPG_ERR_CHECKSUM) return gcrypt_failure(kOpen, error);
  return fail(Errc::kCorrupt, kOpen).because("the authentication tag does not match");
}

void Aead::forget() {
  (void)set_key(kZeroKey);
}

std::uint64_t Aead::memory_bytes() const {
  const auto bytes = gcrypt_pool().piece_bytes(context_->handle);
  return sizeof(Context) + (bytes != 0 ? bytes : kAssumedContextBytes);
}

}  // namespace dormouse
