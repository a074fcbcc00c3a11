#include "kernel/hibernation_support.h"

#include <fmt/format.h>

#include <string_view>

#include "kernel/power_settings.h"
#include "kernel/text_file.h"

namespace dormouse {
namespace {

/// The word of the kernel's command line that switches hibernation off; empty if none does.
std::string switched_off_by(const SystemPaths& paths, SystemCalls& calls) {
  const auto line = read_text_file(paths.proc + "/cmdline", calls);
  if (!line) return {};
  std::string_view rest = trimmed(*line);
  while (!rest.empty()) {
    const auto word = rest.substr(0, rest.find(' '));
    rest = trimmed(rest.substr(word.size()));
    if (word == "nohibernate" || word == "hibernate=no") return std::string(word);
  }
  return {};
}

/// "integrity" or "confidentiality"; empty where nothing is locked down.
std::string lockdown_level(const SystemPaths& paths, SystemCalls& calls) {
  const auto text = read_text_file(paths.sys + "/kernel/security/lockdown", calls);
  if (!text) return {};
  const auto open = text->find('[');
  const auto close = text->find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  auto level = text->substr(open + 1, close - open - 1);
  return level == "none" ? std::string{} : level;
}

}  // namespace

std::optional<std::string> why_hibernation_is_unavailable(const SystemPaths& paths, SystemCalls& calls) {
  const auto modes = read_disk_modes(paths, calls);
  if (!modes && modes.error().code == Errc::kImpossible) return std::string(modes.error().detail.view());
  if (!modes)
    return fmt::format("whether the kernel can hibernate cannot be told ({})", modes.error().what());
  if (modes->available) return std::nullopt;
  if (const auto word = switched_off_by(paths, calls); !word.empty()) {
    return fmt::format(
        "\"{}\" on the kernel's command line switches hibernation off: take it out and boot again", word);
  }
  if (const auto level = lockdown_level(paths, calls); !level.empty()) {
    return fmt::format(
        "the kernel is locked down ({}), which forbids hibernation; with Secure Boot on, it must be switched "
        "off",
        level);
  }
  return "the kernel has it disabled, most likely because a program holds secret memory (memfd_secret): end "
         "it, or boot "
         "with secretmem.enable=0; a CXL memory device does the same";
}

}  // namespace dormouse
