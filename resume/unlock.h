/// Opening a sealed image: by the key files of the settings, or by asking.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dormouse/error.h"
#include "dormouse/image_reader.h"
#include "dormouse/sealing.h"

#include "config/settings.h"
#include "console/passphrase.h"

namespace dormouse {

/// Raw keys that were read, and what is to be said of those that could not be.
struct ReadKeys {
  std::vector<KeyFile> keys;
  std::vector<std::string> problems;
  bool named = false;  ///< on the command line: one of them has to open the image
};

/// kCorrupt for a plain image where the settings ask for sealed ones: whoever can write to the disk could put
/// any image there otherwise. `path`: of the device.
Result<void> require_seal(const Settings& settings, const ImageInfo& image, std::string_view path);

/// Reads the key files of the settings, those that `image`, opened, may be unlocked by: a key pair opens
/// nothing without its passphrase, and is passed over. An error for one named on the command line that cannot
/// be used; what is wrong with one of the configuration file is kept in `problems`.
Result<ReadKeys> read_keys(const Settings& settings, const ImageReader& image);

/// Tries them on `reader`, opened on a sealed image. False: none opens it. kWrongKey where they were named on
/// the command line and none does.
Result<bool> unlock_with(const ReadKeys& keys, ImageReader& reader);

/// Up to three passphrases; kWrongKey where none opens it.
Result<void> unlock_by_asking(PassphraseAsker& asker, ImageReader& reader);

/// kWrongKey: of an image on `path` that only key files open, and nobody can be asked.
Error no_key_opens(std::string_view path, const ReadKeys& keys);

/// "passphrase of the image on /dev/sda2"
[[nodiscard]] std::string passphrase_prompt(std::string_view path);

/// All of it, for somebody who waits. Keep no KeyWatcher meanwhile.
Result<void> unlock(const Settings& settings, ImageReader& reader, std::string_view path);

}  // namespace dormouse
