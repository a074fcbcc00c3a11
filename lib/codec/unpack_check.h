/// How all codecs say that a packed chunk is not what it should be.
#pragma once

#include <cstddef>
#include <string_view>

#include "dormouse/error.h"

namespace dormouse {

/// The data is no packed stream at all, or one cut short. `operation` is static text.
inline Failure damaged(std::string_view operation, std::size_t packed_bytes) {
  return fail(Errc::kCorrupt, operation).because("the {} packed bytes are damaged", packed_bytes);
}

/// The data is sound in itself but gives another length than the chunk has.
inline Failure wrong_length(std::string_view operation, std::size_t got_bytes, std::size_t chunk_bytes) {
  return fail(Errc::kCorrupt, operation).because("it gives {} bytes where {} belong", got_bytes, chunk_bytes);
}

}  // namespace dormouse
