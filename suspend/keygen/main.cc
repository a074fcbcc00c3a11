/// suspend-keygen: makes a key file, or shows one.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>

#include "dormouse/sealing.h"

#include "base/core_dump.h"
#include "console/passphrase.h"
#include "kernel/machine_info.h"
#include "keygen_options.h"

namespace {

using namespace dormouse;

Result<Secret> new_passphrase(const std::string& path) {
  const std::string prompt = fmt::format("new passphrase for {}", path);
  auto asker = PassphraseAsker::open({.tool = "suspend-keygen", .prompt = prompt, .confirm = true});
  if (!asker) return std::unexpected(asker.error());
  return asker->ask();
}

Result<KeyFile> new_pair(const std::string& path) {
  const auto passphrase = new_passphrase(path);
  if (!passphrase) return std::unexpected(passphrase.error());
  const auto free_bytes = available_ram_bytes();
  if (!free_bytes) return std::unexpected(free_bytes.error());
  const auto cost = choose_passphrase_cost(*free_bytes);
  if (!cost) return std::unexpected(cost.error());
  return KeyFile::generate(passphrase->span(), *cost);
}

std::string describe(const KeyFile& key) {
  const auto cost = key.cost();
  if (!cost) return fmt::format("raw key of {} bytes\n", kKeyBytes);
  return fmt::format("key pair\npublic half: {}\nprivate half: sealed; Argon2id, {} KiB, {} passes\n",
                     key.public_text(), cost->memory_kib, cost->passes);
}

std::string next_steps(const KeyFile& key, const std::string& path) {
  const bool pair = key.way() == KeyWay::kKeyPair;
  return fmt::format(
      "\nTo seal images with it, add to /etc/suspend.conf:\n\n    encrypt = y\n    key file = {}\n\n{}\n",
      std::filesystem::absolute(path).lexically_normal().string(),
      pair ? "s2disk then asks for nothing, and resume for the passphrase. An image holds what resume\n"
             "needs of the pair: losing this file costs no image, forgetting the passphrase does."
           : "Whoever can read this file can open the images, and nobody can without it: keep a copy\n"
             "elsewhere. The initramfs gets a copy, too; update-initramfs -u puts it there.");
}

/// The text for standard output.
Result<std::string> run(const KeygenOptions& options) {
  forbid_core_dumps();
  if (options.action == KeygenAction::kShow) {
    const auto key = KeyFile::read(options.path);
    if (!key) return std::unexpected(key.error());
    return fmt::format("{}: {}", options.path, describe(*key));
  }
  // Before anybody is asked in vain.
  if (auto r = KeyFile::check_new(options.path); !r) return std::unexpected(r.error());
  const auto key =
      options.action == KeygenAction::kMakeRaw ? KeyFile::generate_raw() : new_pair(options.path);
  if (!key) return std::unexpected(key.error());
  if (auto r = key->write(options.path); !r) return std::unexpected(r.error());
  return fmt::format("{}: {}{}", options.path, describe(*key), next_steps(*key, options.path));
}

Result<std::string> text_of(const KeygenOptions& options) {
  if (options.action == KeygenAction::kHelp) return std::string(keygen_help());
  if (options.action == KeygenAction::kVersion)
    return fmt::format("suspend-keygen (dormouse) {}\n", DORMOUSE_VERSION);
  return run(options);
}

Result<void> print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return {};
  return fail(Errc::kIo, "write").on("standard output").os(errno);
}

Result<void> keygen(int argc, char** argv) {
  const auto options = parse_keygen(argc, argv);
  if (!options) return std::unexpected(options.error());
  const auto text = text_of(*options);
  if (!text) return std::unexpected(text.error());
  return print(*text);
}

}  // namespace

int main(int argc, char** argv) {
  const auto done = keygen(argc, argv);
  if (done) return 0;
  std::fputs(fmt::format("suspend-keygen: {}\n", done.error().what()).c_str(), stderr);
  return exit_code(done.error().code);
}
