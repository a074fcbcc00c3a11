#include "keygen_options.h"

#include <getopt.h>

#include <array>

namespace dormouse {
namespace {

constexpr std::array kOptions = std::to_array<option>({
    {.name = "raw", .has_arg = required_argument, .flag = nullptr, .val = 'r'},
    {.name = "show", .has_arg = required_argument, .flag = nullptr, .val = 's'},
    {.name = "help", .has_arg = no_argument, .flag = nullptr, .val = 'h'},
    {.name = "version", .has_arg = no_argument, .flag = nullptr, .val = 'V'},
    {.name = nullptr, .has_arg = 0, .flag = nullptr, .val = 0},
});

template <class... Args>
Failure wrong(fmt::format_string<Args...> pattern, Args&&... args) {
  return fail(Errc::kUsage, "read options").because(pattern, std::forward<Args>(args)...);
}

}  // namespace

Result<KeygenOptions> parse_keygen(int argc, char** argv) {
  KeygenOptions options;
  int files = 0;
  const auto take = [&](KeygenAction action, const char* path) {
    options.action = action;
    options.path = path;
    ++files;
  };
  // The colon has getopt say nothing itself, and tell a missing value from an unknown option.
  for (int found = 0; (found = ::getopt_long(argc, argv, ":hV", kOptions.data(), nullptr)) != -1;) {
    switch (found) {
      case 'r':
        take(KeygenAction::kMakeRaw, optarg);
        break;
      case 's':
        take(KeygenAction::kShow, optarg);
        break;
      case 'h':
        return KeygenOptions{.action = KeygenAction::kHelp};
      case 'V':
        return KeygenOptions{.action = KeygenAction::kVersion};
      case ':':
        return wrong("{} needs the name of a file", argv[optind - 1]);
      default:
        return wrong("unknown option {:.60}; --help lists what there is", argv[optind - 1]);
    }
  }
  for (int i = optind; i < argc; ++i) take(options.action, argv[i]);
  if (files > 1) return wrong("more than one file: name one, and one thing to do with it");
  if (options.path.empty()) return wrong("the name of the file is empty");
  return options;
}

std::string_view keygen_help() {
  return "Usage: suspend-keygen [FILE]\n"
         "       suspend-keygen --raw FILE\n"
         "       suspend-keygen --show FILE\n"
         "Makes a key for the sealed images of s2disk. Without an option: a key pair in FILE (default\n"
         "/etc/suspend.key), whose private half a passphrase protects. A file that exists is never written "
         "over.\n"
         "\n"
         "      --raw FILE    32 random bytes instead; nobody is asked for a passphrase then\n"
         "      --show FILE   what kind of key FILE holds, and its public half\n"
         "  -h, --help        this text\n"
         "  -V, --version     the version\n"
         "\n"
         "Exit status: 0 done, 1 failed, 2 bad option, file or passphrase, 4 stopped by the user, 5 not "
         "enough\n"
         "memory, 6 keys cannot be made on this machine.\n";
}

}  // namespace dormouse
