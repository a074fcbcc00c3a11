#include "seal/gcrypt_start.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace dormouse {
namespace {

constexpr const char* kOldestVersion = "1.10.0";  // the first with Argon2

void* allocate(std::size_t bytes) {
  return gcrypt_pool().allocate(bytes);
}

int is_secure(const void* piece) {
  return gcrypt_pool().piece_bytes(piece) != 0 ? 1 : 0;
}

void release(void* piece) {
  // Before this handler was set, libgcrypt made a few constants with malloc().
  if (!gcrypt_pool().release(piece)) std::free(piece);
}

void* reallocate(void* piece, std::size_t bytes) {
  const std::size_t had = gcrypt_pool().piece_bytes(piece);
  if (piece != nullptr && had == 0) return std::realloc(piece, bytes);
  void* larger = allocate(bytes);
  if (larger == nullptr || piece == nullptr) return larger;
  std::memcpy(larger, piece, std::min(had, bytes));
  release(piece);
  return larger;
}

Result<void> start() {
  constexpr std::string_view kStart = "start libgcrypt";
  // Before all else, so that nothing is allocated by one and given back by another.
  const bool started = gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P) != 0;
  if (!started) gcry_set_allocation_handler(allocate, allocate, is_secure, reallocate, release);
  if (gcry_check_version(kOldestVersion) == nullptr) {
    return fail(Errc::kImpossible, kStart)
        .because("it is version {}; sealing needs {} or newer", gcry_check_version(nullptr), kOldestVersion);
  }
  if (gcry_fips_mode_active() != 0) {
    return fail(Errc::kImpossible, kStart)
        .because(
            "it is in FIPS mode (kernel parameter fips=1, /etc/gcrypt/fips_enabled), in which it has neither "
            "ChaCha20-Poly1305 nor Argon2id: images cannot be sealed or opened on this machine");
  }
  if (!started) gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
  return gcrypt_pool().reserve(1);
}

}  // namespace

LockedPool& gcrypt_pool() {
  // Never destroyed: libgcrypt keeps pieces of it until the process ends.
  static LockedPool* const kPool = std::make_unique<LockedPool>().release();
  return *kPool;
}

Result<void> start_gcrypt() {
  static const Result<void> kStarted = start();
  return kStarted;
}

Failure gcrypt_failure(std::string_view operation, gcry_error_t error) {
  const auto code = gcry_err_code(error) == GPG_ERR_ENOMEM ? Errc::kNoMemory : Errc::kIo;
  return fail(code, operation).because("libgcrypt: {}", gcry_strerror(error));
}

}  // namespace dormouse
