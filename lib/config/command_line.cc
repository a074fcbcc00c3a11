#include "config/command_line.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "config/key_table.h"
#include "config/option_table.h"
#include "config/settings_check.h"
#include "config/value_parsers.h"

namespace dormouse {
namespace {

using Given = std::vector<GivenOption>;

Failure wrong(std::string_view text) {
  return fail(Errc::kUsage, "read options").because("{}", text);
}

/// A value may hold anything, and a message is one line.
std::string on_one_line(std::string text) {
  std::ranges::replace_if(text, [](char c) { return is_control(c) || c == '\t'; }, '?');
  return text;
}

const GivenOption* last_given(const Given& given, OptionId id) {
  const GivenOption* last = nullptr;
  for (const GivenOption& one : given) {
    if (one.info != nullptr && one.info->id == id) last = &one;
  }
  return last;
}

std::optional<std::string> text_asked_for(Tool tool, const Given& given) {
  if (last_given(given, OptionId::kHelp) != nullptr) return help_text(tool);
  if (last_given(given, OptionId::kVersion) != nullptr) return version_text(tool);
  return std::nullopt;
}

std::optional<std::string> settings_asked_for(const Given& given, const Settings& settings) {
  if (last_given(given, OptionId::kPrintConfig) == nullptr) return std::nullopt;
  return print_settings(settings);
}

/// Settings in the making.
struct Merge {
  Settings& settings;
  std::vector<std::string>& warnings;
  std::array<std::string, kKeys> said = {};  // what gave each key on the command line so far

  Result<void> set(const KeyInfo& info, std::string_view value, const std::string& place,
                   std::string_view shown) {
    const auto outcome = assign(info, value, {Origin::Kind::kCommandLine, place}, settings);
    if (!outcome) return wrong(fmt::format("{}: {}", shown, outcome.error()));
    std::string& before = said[static_cast<std::size_t>(info.key)];
    std::string note = *outcome;
    if (!before.empty() && info.list == nullptr) {
      note = fmt::format("'{}' again: this counts, {} before it does not; leave one out{}{}", info.name,
                         before, note.empty() ? "" : "; ", note);
    }
    if (!note.empty()) warnings.push_back(fmt::format("{}: {}", shown, note));
    before = shown;
    return {};
  }

  Result<void> option(const GivenOption& one) {
    const std::string shown = on_one_line(fmt::format("{} {:.60}", one.flag(), one.value));
    // In a file a lone 0 is a way to say no; on the command line it is a percentage out of range.
    if (one.info->key == Key::kEarlyWriteout && one.value == "0") {
      return wrong(fmt::format("{}: not above 0; write --early-writeout off", shown));
    }
    return set(key_info(*one.info->key), one.value, one.flag(), shown);
  }

  Result<void> parameter(const std::string& text) {
    const std::size_t separator = text.find_first_of("=:");
    const std::string shown = on_one_line(fmt::format("-P '{:.80}'", text));
    if (separator == std::string::npos) return wrong(fmt::format("{}: write -P 'KEY=VALUE'", shown));
    const std::string_view name = trim(std::string_view(text).substr(0, separator));
    const KeyInfo* info = find_key(name);
    if (info != nullptr) return set(*info, trim(std::string_view(text).substr(separator + 1)), "-P", shown);
    const auto near = nearest_key(name);
    return wrong(near ? fmt::format("{}: unknown key, did you mean '{}'?", shown, *near)
                      : fmt::format("{}: unknown key; suspend.conf(5) lists what there is", shown));
  }

  /// The positional argument is the resume device; said twice it must be the same one.
  Result<void> positional(const Given& given) {
    for (const GivenOption& one : given) {
      if (one.info != nullptr) continue;
      const bool named = settings.origin(Key::kResumeDevice).kind == Origin::Kind::kCommandLine;
      if (named && settings.resume_device != one.value) {
        return wrong(on_one_line(fmt::format("two resume devices, '{:.80}' and '{:.80}': name one",
                                             settings.resume_device, one.value)));
      }
      if (named) continue;
      // "--compress lz4" looks right and is not: the optional value goes with '='.
      if (settings.given(Key::kCompress) && parse_codec(one.value)) {
        return wrong(fmt::format("'{0}' would be the resume device: write --compress={0}", one.value));
      }
      if (settings.given(Key::kEncrypt) && cipher_of(one.value)) {
        return wrong(fmt::format("'{0}' would be the resume device: write --encrypt={0}", one.value));
      }
      if (auto r = set(key_info(Key::kResumeDevice), one.value, "argument", on_one_line(one.value)); !r) {
        return r;
      }
    }
    return {};
  }
};

/// Options that are no keys and have one value.
void note_repeated(const Given& given, std::vector<std::string>& warnings) {
  for (auto one = given.begin(); one != given.end(); ++one) {
    if (one->info == nullptr || one->info->value == OptionInfo::Value::kNone) continue;
    if (one->info->id == OptionId::kKey || one->info->id == OptionId::kParameter) continue;
    const auto again = std::find_if(one + 1, given.end(), [&](const auto& o) { return o.info == one->info; });
    if (again == given.end()) continue;
    warnings.push_back(
        fmt::format("{0} {1:.60}: {0} again: this counts, {0} {2:.60} before it does not; leave one out",
                    one->flag(), again->value, one->value));
  }
}

Result<void> merge(const Given& given, std::string_view default_config, bool suspends, Merge merge) {
  note_repeated(given, merge.warnings);
  const GivenOption* config = last_given(given, OptionId::kConfig);
  const std::string path(config != nullptr ? std::string_view(config->value) : default_config);
  if (auto r = load_config(path, config != nullptr, merge.settings, merge.warnings); !r) return r;
  if (suspends) {
    if (auto r = merge.set(key_info(Key::kShutdownMethod), "suspend", "s2both", "s2both"); !r) return r;
    merge.said = {};  // a name is no option: one that says otherwise overrules it
  }
  for (const GivenOption& one : given) {
    if (one.info == nullptr) continue;
    Result<void> done;
    if (one.info->id == OptionId::kKey) done = merge.option(one);
    if (one.info->id == OptionId::kParameter) done = merge.parameter(one.value);
    if (!done) return done;
  }
  return merge.positional(given);
}

std::span<const std::string> without_command(std::span<const std::string> args) {
  return args.empty() ? args : args.subspan(1);
}

bool called_s2both(std::span<const std::string> args) {
  if (args.empty()) return false;
  return args.front().substr(args.front().rfind('/') + 1) == "s2both";
}

Result<void> read_action(const Given& given, ResumeOptions& options) {
  const GivenOption* chosen = nullptr;
  for (const GivenOption& one : given) {
    if (one.info == nullptr) continue;
    ResumeAction action = ResumeAction::kLoad;
    switch (one.info->id) {
      case OptionId::kTo:
        action = ResumeAction::kExtract;
        options.to_file = one.value;
        break;
      case OptionId::kStatus:
        action = ResumeAction::kStatus;
        break;
      case OptionId::kVerify:
        action = ResumeAction::kVerify;
        break;
      case OptionId::kDiscard:
        action = ResumeAction::kDiscard;
        break;
      default:
        continue;
    }
    if (chosen != nullptr && chosen->info != one.info) {
      return wrong(fmt::format("{} and {} exclude each other: give one of them", chosen->flag(), one.flag()));
    }
    chosen = &one;
    options.action = action;
  }
  return {};
}

Purpose purpose_of(ResumeAction action) {
  const bool manages = action == ResumeAction::kStatus || action == ResumeAction::kDiscard;
  return manages ? Purpose::kManage : Purpose::kReadImage;
}

}  // namespace

Result<S2diskOptions> parse_s2disk(std::span<const std::string> args, std::string_view default_config) {
  const auto given = split_options(Tool::kS2disk, without_command(args));
  if (!given) return std::unexpected(given.error());
  S2diskOptions options;
  options.text = text_asked_for(Tool::kS2disk, *given);
  if (options.text) return options;
  const Merge into{.settings = options.settings, .warnings = options.warnings};
  if (auto r = merge(*given, default_config, called_s2both(args), into); !r)
    return std::unexpected(r.error());
  if (const GivenOption* from = last_given(*given, OptionId::kFrom)) options.from_file = from->value;
  options.check = last_given(*given, OptionId::kCheck) != nullptr;
  if (options.check && !options.from_file.empty())
    return wrong(
        "--check and --from exclude each other: --check looks at the machine that --from needs nothing of");
  if (auto r = check_settings(Purpose::kWriteImage, options.settings, options.warnings); !r) {
    return std::unexpected(r.error());
  }
  options.strict = last_given(*given, OptionId::kStrict) != nullptr;
  options.text = settings_asked_for(*given, options.settings);
  return options;
}

Result<ResumeOptions> parse_resume(std::span<const std::string> args, std::string_view default_config) {
  const auto given = split_options(Tool::kResume, without_command(args));
  if (!given) return std::unexpected(given.error());
  ResumeOptions options;
  options.text = text_asked_for(Tool::kResume, *given);
  if (options.text) return options;
  if (auto r = read_action(*given, options); !r) return std::unexpected(r.error());
  const Merge into{.settings = options.settings, .warnings = options.warnings};
  if (auto r = merge(*given, default_config, false, into); !r) return std::unexpected(r.error());
  if (auto r = check_settings(purpose_of(options.action), options.settings, options.warnings); !r) {
    return std::unexpected(r.error());
  }
  options.strict = last_given(*given, OptionId::kStrict) != nullptr;
  options.text = settings_asked_for(*given, options.settings);
  return options;
}

}  // namespace dormouse
