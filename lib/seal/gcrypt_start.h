/// Starting libgcrypt, and its errors as ours. Only lib/seal knows that library.
#pragma once

#include <gcrypt.h>

#include <string_view>

#include "dormouse/error.h"

#include "seal/locked_pool.h"

namespace dormouse {

/// Starts libgcrypt if nobody has: every context and intermediate result of it lives in locked memory then,
/// and is overwritten when it is given back. In a program that has started libgcrypt itself its own memory is
/// used. To be called before anything else of it; cheap after the first time. Any thread.
Result<void> start_gcrypt();

/// What libgcrypt allocates from.
LockedPool& gcrypt_pool();

/// kNoMemory where that is what it is, else kIo with libgcrypt's words.
[[nodiscard]] Failure gcrypt_failure(std::string_view operation, gcry_error_t error);

}  // namespace dormouse
