/// The command line of swap-offset.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dormouse/error.h"

namespace dormouse {

enum class SwapOffsetAction : std::uint8_t { kShow, kHelp, kVersion };
enum class PlaceFormat : std::uint8_t { kText, kConf, kCmdline, kJson };

struct SwapOffsetOptions {
  SwapOffsetAction action = SwapOffsetAction::kShow;
  PlaceFormat format = PlaceFormat::kText;
  std::string path = {};
};

/// kUsage says which argument is wrong.
Result<SwapOffsetOptions> parse_swap_offset(int argc, char** argv);

[[nodiscard]] std::string_view swap_offset_help();

}  // namespace dormouse
