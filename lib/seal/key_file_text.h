/// A key pair as text, as suspend-keygen writes it. FORMAT.md, "Key files".
#pragma once

#include <string>
#include <string_view>

#include "dormouse/error.h"

#include "seal/private_half.h"

namespace dormouse {

/// What the file of a key pair begins with, whatever its version.
inline constexpr std::string_view kKeyTextHead = "dormouse key ";

Result<std::string> render_key_text(const SealedPrivateHalf& half);

/// Takes exactly what render_key_text() makes. kUsage says what is wrong: cut short, damaged, a later
/// version.
Result<SealedPrivateHalf> parse_key_text(std::string_view text);

}  // namespace dormouse
