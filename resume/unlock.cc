#include "unlock.h"

#include "base/core_dump.h"
#include "tool/tool_report.h"

namespace dormouse {
namespace {

constexpr std::string_view kOpen = "open sealed image";
constexpr int kTries = 3;

Failure none_opens(int tries) {
  if (tries == 1) return fail(Errc::kWrongKey, kOpen).because("the passphrase given does not open it");
  return fail(Errc::kWrongKey, kOpen).because("none of the {} passphrases given opens it", tries);
}

}  // namespace

Result<void> require_seal(const Settings& settings, const ImageInfo& image, std::string_view path) {
  if (image.cipher || !settings.encrypt.on) return {};
  return fail(Errc::kCorrupt, "open image")
      .on(path)
      .because(
          "it is not sealed, and {} asks for sealed images: somebody else may have put it there. If you "
          "wrote it "
          "so yourself, say 'encrypt = n'",
          settings.origin(Key::kEncrypt).text());
}

Result<ReadKeys> read_keys(const Settings& settings, const ImageReader& image) {
  ReadKeys read;
  const bool named = settings.key_file_origin().kind == Origin::Kind::kCommandLine;
  if (!named && !image.takes_key_file()) return read;
  for (const std::string& path : settings.all_key_files()) {
    auto key = KeyFile::read(path);
    if (!key && named) return std::unexpected(key.error());
    if (!key) {
      read.problems.push_back(key.error().what());
    } else if (key->way() == KeyWay::kKeyFile) {
      read.keys.push_back(std::move(*key));
      read.named = named;
    }
  }
  return read;
}

Result<bool> unlock_with(const ReadKeys& keys, ImageReader& reader) {
  for (const KeyFile& key : keys.keys) {
    const auto opened = reader.unlock(key);
    if (opened) return true;
    if (opened.error().code != Errc::kWrongKey) return std::unexpected(opened.error());
  }
  if (!keys.named) return false;
  return fail(Errc::kWrongKey, kOpen)
      .because(
          "the key file named on the command line does not open this image; leave it out to be asked for the "
          "passphrase, where the image takes one ('resume --status' tells)");
}

Result<void> unlock_by_asking(PassphraseAsker& asker, ImageReader& reader) {
  for (int tries = 0; tries < kTries; ++tries) {
    const auto passphrase = asker.ask();
    if (!passphrase) {
      // A pipe has no further line: what it held was wrong.
      if (tries > 0 && passphrase.error().code == Errc::kUsage) return none_opens(tries);
      return std::unexpected(passphrase.error());
    }
    auto opened = reader.unlock(passphrase->span());
    if (opened || opened.error().code != Errc::kWrongKey) return opened;
  }
  return none_opens(kTries);
}

Error no_key_opens(std::string_view path, const ReadKeys& keys) {
  return fail(Errc::kWrongKey, kOpen)
      .on(path)
      .because(
          "only a key file opens this image, and {}; name the right one (--key-file, or 'key file' in the "
          "configuration file)",
          keys.keys.empty() ? "there is none to try" : "none of those there are fits")
      .error();
}

std::string passphrase_prompt(std::string_view path) {
  return fmt::format("passphrase of the image on {}", path);
}

Result<void> unlock(const Settings& settings, ImageReader& reader, std::string_view path) {
  if (auto r = require_seal(settings, reader.info(), path); !r) return r;
  if (!reader.sealed()) return {};
  forbid_core_dumps();
  const auto keys = read_keys(settings, reader);
  if (!keys) return std::unexpected(keys.error());
  const auto opened = unlock_with(*keys, reader);
  if (!opened) return std::unexpected(opened.error());
  if (*opened) return {};
  for (const std::string& problem : keys->problems) complain("resume", problem);
  if (!reader.takes_passphrase()) return std::unexpected(no_key_opens(path, *keys));
  const std::string prompt = passphrase_prompt(path);
  auto asker = PassphraseAsker::open({.tool = "resume", .prompt = prompt});
  if (!asker) return std::unexpected(asker.error());
  return unlock_by_asking(*asker, reader);
}

}  // namespace dormouse
