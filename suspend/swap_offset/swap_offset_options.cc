#include "swap_offset_options.h"

#include <getopt.h>

#include <algorithm>
#include <array>

namespace dormouse {
namespace {

constexpr std::array kOptions = std::to_array<option>({
    {.name = "format", .has_arg = required_argument, .flag = nullptr, .val = 'F'},
    {.name = "help", .has_arg = no_argument, .flag = nullptr, .val = 'h'},
    {.name = "version", .has_arg = no_argument, .flag = nullptr, .val = 'V'},
    {.name = nullptr, .has_arg = 0, .flag = nullptr, .val = 0},
});

struct FormatName {
  std::string_view name;
  PlaceFormat format;
};
constexpr std::array kFormats = std::to_array<FormatName>({
    {"text", PlaceFormat::kText},
    {"conf", PlaceFormat::kConf},
    {"cmdline", PlaceFormat::kCmdline},
    {"json", PlaceFormat::kJson},
});

template <class... Args>
Failure wrong(fmt::format_string<Args...> pattern, Args&&... args) {
  return fail(Errc::kUsage, "read options").because(pattern, std::forward<Args>(args)...);
}

}  // namespace

Result<SwapOffsetOptions> parse_swap_offset(int argc, char** argv) {
  SwapOffsetOptions options;
  // The colon has getopt say nothing itself, and tell a missing value from an unknown option.
  for (int found = 0; (found = ::getopt_long(argc, argv, ":hV", kOptions.data(), nullptr)) != -1;) {
    switch (found) {
      case 'F': {
        const auto* known = std::ranges::find(kFormats, std::string_view(optarg), &FormatName::name);
        if (known == kFormats.end())
          return wrong("--format={:.60} is not known: use text, conf, cmdline or json", optarg);
        options.format = known->format;
        break;
      }
      case 'h':
        return SwapOffsetOptions{.action = SwapOffsetAction::kHelp};
      case 'V':
        return SwapOffsetOptions{.action = SwapOffsetAction::kVersion};
      case ':':
        return wrong("{} needs a value: text, conf, cmdline or json", argv[optind - 1]);
      default:
        return wrong("unknown option {:.60}; --help lists what there is", argv[optind - 1]);
    }
  }
  if (argc - optind != 1) {
    return wrong("{} files were named: name one swap file or block device",
                 argc == optind ? std::string("no") : std::to_string(argc - optind));
  }
  options.path = argv[optind];
  if (options.path.empty()) return wrong("the name of the file is empty: name a swap file or block device");
  return options;
}

std::string_view swap_offset_help() {
  return "Usage: swap-offset [--format=text|conf|cmdline|json] FILE\n"
         "Prints where the swap header of the swap file FILE lies on its block device, in pages: the resume\n"
         "offset. On a block device it is 0. Needs root.\n"
         "\n"
         "      --format=text     the number alone (default)\n"
         "      --format=conf     lines for suspend.conf\n"
         "      --format=cmdline  resume= and resume_offset= for the kernel command line\n"
         "      --format=json     all that was found out\n"
         "  -h, --help            this text\n"
         "  -V, --version         the version\n"
         "\n"
         "Exit status: 0 done, 1 failed, 2 bad option or no such file, 5 not enough memory, 6 no machine "
         "can\n"
         "resume from this file; the message says why.\n";
}

}  // namespace dormouse
