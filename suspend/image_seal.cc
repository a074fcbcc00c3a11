/// What seals the image, made before anything is frozen: the keys that the settings name, and a passphrase.
#include "base/core_dump.h"
#include "console/passphrase.h"
#include "kernel/machine_info.h"
#include "suspend_tool.h"
#include "tool/tool_report.h"

namespace dormouse {
namespace {

// By itself, so that the terminal and its Ctrl-C are back before the cost is measured.
Result<Secret> ask_passphrase() {
  auto asker = PassphraseAsker::open(
      {.tool = "s2disk", .prompt = "passphrase to seal the image with", .confirm = true});
  if (!asker) return std::unexpected(asker.error());
  return asker->ask();
}

Result<void> add_passphrase(ImageSeal& seal, const Host& host) {
  const auto passphrase = ask_passphrase();
  if (!passphrase) return std::unexpected(passphrase.error());
  const auto free = available_ram_bytes(host.paths);
  if (!free) return std::unexpected(free.error());
  const auto cost = choose_passphrase_cost(*free);
  if (!cost) return std::unexpected(cost.error());
  return seal.add_passphrase(passphrase->span(), *cost);
}

}  // namespace

Result<std::optional<ImageSeal>> prepare_seal(const Settings& settings, const Host& host, Report& report) {
  if (!settings.encrypt.on) return std::nullopt;
  forbid_core_dumps();
  const auto cipher = settings.encrypt.cipher ? Result<Cipher>(*settings.encrypt.cipher) : fastest_cipher();
  if (!cipher) return std::unexpected(cipher.error());
  auto seal = ImageSeal::prepare(*cipher);
  if (!seal) return std::unexpected(seal.error());
  // Files first: nobody should be asked in vain.
  for (const std::string& path : settings.all_key_files()) {
    const auto key = KeyFile::read(path);
    if (!key) return std::unexpected(key.error());
    if (auto r = seal->add_key_file(*key); !r) {
      r.error().object.format("{}", path);
      return std::unexpected(r.error());
    }
  }
  if (settings.asks_passphrase()) {
    if (auto r = add_passphrase(*seal, host); !r) return std::unexpected(r.error());
  }
  report.settings.cipher = cipher_name(*cipher);
  return std::optional<ImageSeal>(std::move(*seal));
}

}  // namespace dormouse
