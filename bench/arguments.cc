#include "arguments.h"

#include <fmt/format.h>

#include <cstdio>

namespace dormouse::bench {

bool walk_arguments(std::span<char*> args, const TakeOption& option, std::string& word) {
  for (std::size_t i = 1; i < args.size(); ++i) {
    const std::string arg = args[i];
    if (!arg.starts_with("--")) {
      if (!word.empty()) {
        fmt::print(stderr, "{}: {}: one word too many\n", args[0], arg);
        return false;
      }
      word = arg;
      continue;
    }
    if (i + 1 == args.size()) {
      fmt::print(stderr, "{}: {} needs a value\n", args[0], arg);
      return false;
    }
    if (!option(arg, args[++i])) {
      fmt::print(stderr, "{}: cannot use {} {}\n", args[0], arg, args[i]);
      return false;
    }
  }
  return true;
}

bool take_switch(bool& out, std::string_view text) {
  out = text == "on";
  return out || text == "off";
}

}  // namespace dormouse::bench
