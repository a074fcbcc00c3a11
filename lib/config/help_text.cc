#include <fmt/format.h>

#include "config/key_table.h"
#include "config/option_table.h"

namespace dormouse {
namespace {

constexpr std::size_t kColumn = 32;
constexpr std::size_t kWidth = 110;

std::string option_words(const OptionInfo& option) {
  std::string words = option.letter == 0 ? "      " : fmt::format("  -{}, ", option.letter);
  words += fmt::format("--{}", option.name);
  if (option.value == OptionInfo::Value::kRequired) words += fmt::format(" {}", option.placeholder);
  if (option.value == OptionInfo::Value::kOptional) words += fmt::format("[={}]", option.placeholder);
  return words;
}

/// Breaks at blanks, so that no line is wider than kWidth.
std::string wrapped(std::string_view text) {
  std::string result;
  while (text.size() > kWidth - kColumn) {
    const std::size_t at = text.rfind(' ', kWidth - kColumn);
    result += fmt::format("{}\n{:{}}", text.substr(0, at), "", kColumn);
    text.remove_prefix(at + 1);
  }
  return result + std::string(text);
}

std::string_view head(Tool tool) {
  if (tool == Tool::kS2disk) {
    return "Usage: s2disk [OPTION]... [DEVICE]\n"
           "Saves the running system to its swap area and powers off. Without DEVICE: to the active swap "
           "area.\n"
           "As s2both: the same as --shutdown-method suspend.\n\n";
  }
  return "Usage: resume [OPTION]... [DEVICE]\n"
         "Brings back the system that s2disk saved. Without an image it does nothing.\n\n";
}

}  // namespace

std::string help_text(Tool tool) {
  std::string text(head(tool));
  for (const OptionInfo& option : option_table()) {
    if (!option.for_tool(tool)) continue;
    const std::string words = option_words(option);
    const std::string_view help = option.help.empty() ? key_info(*option.key).help : option.help;
    text += words.size() + 2 > kColumn ? fmt::format("{}\n{:{}}", words, "", kColumn)
                                       : fmt::format("{:{}}", words, kColumn);
    text += wrapped(help) + "\n";
  }
  text +=
      "\nExit status: 0 done, 1 failed, 2 bad option or configuration, 3 image damaged, 4 stopped by the "
      "user,\n"
      "5 not enough swap or memory, 6 hibernation is not possible here, 7 no image.\n";
  return text;
}

std::string version_text(Tool tool) {
  return fmt::format("{} (dormouse) {}\n", tool == Tool::kS2disk ? "s2disk" : "resume", DORMOUSE_VERSION);
}

}  // namespace dormouse
