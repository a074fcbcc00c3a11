/// What an errno means to the tools when nothing more is known than its number.
#pragma once

#include <string_view>

#include "dormouse/error.h"

namespace dormouse {

/// kNoMemory, kNoSpace or kBusy where the errno says so whatever was called, else kIo.
[[nodiscard]] Errc code_of(int errnum);

/// What can be done about it: a sentence without its full stop; empty for 0 and for what there is no general
/// advice about.
[[nodiscard]] std::string_view remedy_for(int errnum);

}  // namespace dormouse
