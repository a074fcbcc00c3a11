/// What can only be judged once every source has been read.
#pragma once

#include <string>
#include <vector>

#include "dormouse/error.h"

#include "config/settings.h"

namespace dormouse {

/// What the settings are about to be used for.
enum class Purpose : std::uint8_t {
  kWriteImage,  ///< s2disk
  kReadImage,   ///< resume, resume --to, resume --verify
  kManage,      ///< resume --status, resume --discard: neither writes nor trusts an image
};

/// Keeps device and offset one unit: an offset left over from another source is dropped with a warning.
/// kUsage, naming the place and the remedy, for an offset without its device, for a key to an image that
/// would not be sealed or a seal without a key, and for everything that is not built yet and must not be
/// passed over in silence.
Result<void> check_settings(Purpose purpose, Settings& settings, std::vector<std::string>& warnings);

}  // namespace dormouse
