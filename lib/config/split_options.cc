/// The only file that knows CLI11. CLI11 matches names, values and bundles of letters; what it leaves open is
/// settled here first: an optional value belongs to its option only with '=' (or right behind the letter), so
/// that the arguments --compress /dev/sda2 mean two things and not one.
#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "config/key_table.h"
#include "config/option_table.h"
#include "config/value_parsers.h"

namespace dormouse {
namespace {

Failure wrong(std::string_view text) {
  return fail(Errc::kUsage, "read options").because("{}", text);
}

/// "--x=auto" for a bare "--x" or "-x" whose value is optional; "--x=V" for "-xV" and "-x=V".
std::string settle_optional_value(const OptionInfo& option, const std::string& arg) {
  const std::string name = "--" + std::string(option.name);
  if (arg == name) return fmt::format("{}={}", name, option.bare);
  if (option.letter == 0 || !arg.starts_with(std::string("-") + option.letter)) return arg;
  std::string_view value = std::string_view(arg).substr(2);
  if (value.empty()) return fmt::format("{}={}", name, option.bare);
  if (value.starts_with('=')) value.remove_prefix(1);
  return fmt::format("{}={}", name, value);
}

Result<std::vector<std::string>> settle(Tool tool, std::span<const std::string> args) {
  std::vector<std::string> settled;
  for (std::size_t i = 0; i < args.size(); ++i) {
    std::string arg = args[i];
    if (arg == "--") {
      settled.insert(settled.end(), args.begin() + static_cast<std::ptrdiff_t>(i), args.end());
      break;
    }
    for (const OptionInfo& option : option_table()) {
      if (option.value == OptionInfo::Value::kOptional && option.for_tool(tool)) {
        arg = settle_optional_value(option, arg);
      }
    }
    // CLI11 would take the next argument for the value.
    if (arg.starts_with("--") && arg.ends_with('='))
      return wrong(fmt::format("{} is followed by nothing: write the value behind it", arg));
    settled.push_back(std::move(arg));
  }
  return settled;
}

std::string cli_names(const OptionInfo& option) {
  std::string names = "--" + std::string(option.name);
  std::string old = names.substr(2);
  std::ranges::replace(old, '-', '_');  // the spelling of uswsusp
  if (old != option.name) names += ",--" + old;
  if (option.letter != 0) names += std::string(",-") + option.letter;
  return names;
}

std::string unknown(Tool tool, std::string_view arg) {
  const std::string_view word = arg.substr(0, arg.find('='));
  std::vector<std::string> flags;
  for (const OptionInfo& option : option_table()) {
    const std::string flag = "--" + std::string(option.name);
    if (option.for_tool(tool))
      flags.push_back(flag);
    else if (flag == word)
      return fmt::format("{} is an option of {} only: leave it out, or call that", word,
                         tool == Tool::kResume ? "s2disk" : "resume");
  }
  const std::vector<std::string_view> views(flags.begin(), flags.end());
  const auto near = nearest_word(word, views);
  return near ? fmt::format("unknown option {}; did you mean {}?", word, *near)
              : fmt::format("unknown option {}; --help lists what there is", word);
}

/// What CLI11 found, in order of appearance.
Result<std::vector<GivenOption>> collect(Tool tool, const CLI::App& app,
                                         const std::map<const CLI::Option*, const OptionInfo*>& infos) {
  std::vector<GivenOption> given;
  std::map<const CLI::Option*, std::size_t> seen;
  for (const CLI::Option* option : app.parse_order()) {
    GivenOption one{.info = infos.at(option), .value = option->results().at(seen[option]++)};
    if (one.info->value == OptionInfo::Value::kNone && one.value != "true") {
      return wrong(fmt::format("{} takes no value: write it alone", one.flag()));
    }
    if (one.info->value != OptionInfo::Value::kNone && one.value.starts_with("--")) {
      return wrong(fmt::format("{} needs a value, and '{}' is an option: write the value between them",
                               one.flag(), one.value));
    }
    given.push_back(std::move(one));
  }
  bool options_ended = false;
  for (const std::string& rest : app.remaining()) {
    if (rest == "--" && !options_ended) {
      options_ended = true;
    } else if (rest.size() > 1 && rest.starts_with('-') && !options_ended) {
      return wrong(unknown(tool, rest));
    } else {
      given.push_back({.info = nullptr, .value = rest});
    }
  }
  return given;
}

}  // namespace

Result<std::vector<GivenOption>> split_options(Tool tool, std::span<const std::string> args) {
  auto settled = settle(tool, args);
  if (!settled) return std::unexpected(settled.error());
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::map<const CLI::Option*, const OptionInfo*> infos;
  try {
    for (const OptionInfo& info : option_table()) {
      if (!info.for_tool(tool)) continue;
      CLI::Option* option = nullptr;
      if (info.value == OptionInfo::Value::kNone) {
        option = app.add_flag(cli_names(info));
      } else {
        option = app.add_option(cli_names(info))->expected(1)->type_name(std::string(info.placeholder));
      }
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      infos[option] = &info;
    }
    std::ranges::reverse(*settled);  // CLI11 takes them from the back
    app.parse(*std::move(settled));
  } catch (const CLI::ArgumentMismatch& problem) {
    return wrong(fmt::format("an option lacks its value: {}; write it behind the option", problem.what()));
  } catch (const CLI::Error& problem) {
    return wrong(problem.what());
  }
  return collect(tool, app, infos);
}

}  // namespace dormouse
