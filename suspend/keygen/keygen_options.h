/// The command line of suspend-keygen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dormouse/error.h"

namespace dormouse {

enum class KeygenAction : std::uint8_t { kMakePair, kMakeRaw, kShow, kHelp, kVersion };

struct KeygenOptions {
  KeygenAction action = KeygenAction::kMakePair;
  std::string path = "/etc/suspend.key";
};

/// kUsage says which argument is wrong.
Result<KeygenOptions> parse_keygen(int argc, char** argv);

[[nodiscard]] std::string_view keygen_help();

}  // namespace dormouse
