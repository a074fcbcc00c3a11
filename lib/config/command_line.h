/// The command lines of the tools, with the configuration file merged in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dormouse/error.h"

#include "config/config_file.h"
#include "config/settings.h"

namespace dormouse {

struct S2diskOptions {
  std::optional<std::string> text;  ///< help, version or settings: print it to stdout and do nothing else
  bool strict = false;              ///< with a warning, list all of them and do nothing
  Settings settings;
  std::string from_file;  ///< empty: the snapshot comes from the kernel
  bool check = false;     ///< only say whether everything is in place
  std::vector<std::string> warnings;
};

enum class ResumeAction : std::uint8_t { kLoad, kExtract, kStatus, kVerify, kDiscard };

struct ResumeOptions {
  std::optional<std::string> text;
  bool strict = false;
  Settings settings;
  ResumeAction action = ResumeAction::kLoad;
  std::string to_file;  ///< of kExtract
  std::vector<std::string> warnings;
};

/// `args` begins with the command's name ("s2both" and ".../s2both" mean --shutdown-method suspend). Defaults
/// are overridden by the file, the file by options and -P in order of appearance. Reads no file but the
/// configuration. kUsage names the option or file and line, and what to write instead. Example:
///     const std::vector<std::string> args(argv, argv + argc);
///     auto options = parse_s2disk(args);
Result<S2diskOptions> parse_s2disk(std::span<const std::string> args,
                                   std::string_view default_config = kDefaultConfigFile);
Result<ResumeOptions> parse_resume(std::span<const std::string> args,
                                   std::string_view default_config = kDefaultConfigFile);

}  // namespace dormouse
