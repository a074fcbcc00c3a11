/// Names from outside (paths, kernel releases), fit to be printed.
#pragma once

#include <string>
#include <string_view>

namespace dormouse {

/// `text` with every control character and every byte that is not part of valid UTF-8 replaced by '?': such a
/// name can neither steer a terminal nor break a line of output in two.
[[nodiscard]] std::string safe_text(std::string_view text);

}  // namespace dormouse
