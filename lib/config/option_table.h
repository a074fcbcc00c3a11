/// The options of the tools. Those that are also keys of the file only name their key here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dormouse/error.h"

#include "config/settings.h"

namespace dormouse {

enum class Tool : std::uint8_t { kS2disk = 1, kResume = 2 };

enum class OptionId : std::uint8_t {
  kKey,  ///< sets `key`
  kConfig,
  kParameter,
  kFrom,
  kTo,
  kStatus,
  kVerify,
  kDiscard,
  kStrict,
  kPrintConfig,
  kCheck,
  kHelp,
  kVersion,
};

struct OptionInfo {
  enum class Value : std::uint8_t { kNone, kRequired, kOptional };
  OptionId id;
  std::string_view name;  ///< without the dashes
  char letter;            ///< 0: none
  Value value;
  std::string_view placeholder;
  unsigned tools;
  std::string_view help;  ///< empty: the key's
  std::optional<Key> key = std::nullopt;
  std::string_view bare = {};  ///< the value meant where none is given
  [[nodiscard]] bool for_tool(Tool tool) const { return (tools & static_cast<unsigned>(tool)) != 0; }
};

[[nodiscard]] std::span<const OptionInfo> option_table();

/// One option as it was given, or a positional argument (`info` null).
struct GivenOption {
  const OptionInfo* info = nullptr;
  std::string value;
  [[nodiscard]] std::string flag() const {
    return info == nullptr ? "argument" : "--" + std::string(info->name);
  }
};

/// Splits arguments (without the command name) into options and positional arguments, in order of appearance;
/// the positional ones come last. kUsage names what is unknown, lacks a value or has one too many.
Result<std::vector<GivenOption>> split_options(Tool tool, std::span<const std::string> args);

[[nodiscard]] std::string help_text(Tool tool);
[[nodiscard]] std::string version_text(Tool tool);

}  // namespace dormouse
