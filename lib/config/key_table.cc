#include "config/key_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "config/config_file.h"
#include "config/value_parsers.h"

namespace dormouse {
namespace {

using Text = std::optional<std::string>;

const std::string kNoNote;

ReadOutcome wrong(std::string text) {
  return std::unexpected(std::move(text));
}

/// Reads a value with `parse` into the member at `place`.
template <auto parse, auto member>
ReadOutcome read_with(std::string_view value, Settings& settings) {
  auto parsed = parse(value);
  if (!parsed) return wrong(parsed.error());
  settings.*member = *std::move(parsed);
  return kNoNote;
}

template <auto member>
ReadOutcome read_path(std::string_view value, Settings& settings) {
  settings.*member = std::string(value);
  return kNoNote;
}

template <auto member>
ReadOutcome add_path(std::string_view value, Settings& settings) {
  (settings.*member).emplace_back(value);
  return kNoNote;
}

template <auto member>
Text print_path(const Settings& settings) {
  const std::string& path = settings.*member;
  if (path.empty()) return std::nullopt;
  return config_value(path);
}

template <auto member>
Text print_bool(const Settings& settings) {
  return settings.*member ? "y" : "n";
}

template <auto member>
Text print_count(const Settings& settings) {
  return fmt::format("{}", settings.*member);
}

template <auto member>
Text print_number(const Settings& settings) {
  if (!(settings.*member)) return std::nullopt;
  return fmt::format("{}", *(settings.*member));
}

/// Words in the order of the enumeration's values.
template <class Enum>
struct Words;
template <>
struct Words<IoMode> {
  static constexpr std::array<std::string_view, 2> kList = {"direct", "buffered"};
};
template <>
struct Words<ImageFormat> {
  static constexpr std::array<std::string_view, 2> kList = {"dormouse", "kernel"};
};
template <>
struct Words<ShutdownMethod> {
  static constexpr std::array<std::string_view, 5> kList = {"platform", "shutdown", "reboot", "suspend",
                                                            "none"};
};
template <>
struct Words<ReportFormat> {
  static constexpr std::array<std::string_view, 3> kList = {"text", "json", "prometheus"};
};
template <>
struct Words<ProgressMode> {
  static constexpr std::array<std::string_view, 4> kList = {"auto", "bar", "plain", "none"};
};

template <class Enum>
Parsed<Enum> parse_word(std::string_view value) {
  const auto& words = Words<Enum>::kList;
  const auto found = std::ranges::find(words, lower_case(value));
  if (found != words.end()) return static_cast<Enum>(found - words.begin());
  return std::unexpected(
      fmt::format("not a word that this key knows: must be one of {}", fmt::join(words, ", ")));
}

template <auto member>
Text print_word(const Settings& settings) {
  const auto value = settings.*member;
  return std::string(Words<std::remove_const_t<decltype(value)>>::kList[static_cast<std::size_t>(value)]);
}

Text print_image_size(const Settings& s) {
  if (s.image_size.unit == ImageSize::Unit::kBytes) return fmt::format("{}", s.image_size.value);
  return percent_text(s.image_size.value);
}

Text print_codec(const Settings& s) {
  if (s.codec.automatic) return "auto";
  const CodecSpec spec = s.codec.spec;
  if (spec.level == 0) return std::string(codec_name(spec.id));
  return fmt::format("{}:{}", codec_name(spec.id), spec.level);
}

Text print_early_writeout(const Settings& s) {
  return s.early_writeout.off() ? "off" : percent_text(s.early_writeout.millionths);
}

Text print_threads(const Settings& s) {
  return s.threads ? fmt::format("{}", *s.threads) : "auto";
}

Text print_encrypt(const Settings& s) {
  if (s.encrypt.cipher) return std::string(cipher_name(*s.encrypt.cipher));
  return s.encrypt.on ? "y" : "n";
}

Text print_passphrase(const Settings& s) {
  if (!s.passphrase) return std::nullopt;
  return *s.passphrase ? "y" : "n";
}

Text print_nothing(const Settings&) {
  return std::nullopt;
}

// Keys of uswsusp that change nothing here: accepted, and said what happens instead where that differs.

ReadOutcome read_compute_checksum(std::string_view value, Settings&) {
  const auto on = parse_bool(value);
  if (!on) return wrong(on.error());
  return *on ? kNoNote
             : "every chunk is checked all the same, which costs next to nothing: leave the key out";
}

ReadOutcome read_splash(std::string_view value, Settings&) {
  const auto on = parse_bool(value);
  if (!on) return wrong(on.error());
  return *on ? "there is no splash screen, progress goes to the console: leave the key out, or set 'progress'"
             : kNoNote;
}

ReadOutcome read_fbsplash_theme(std::string_view, Settings&) {
  return "there is no splash screen, progress goes to the console: leave the key out, or set 'progress'";
}

ReadOutcome read_resume_pause(std::string_view value, Settings&) {
  const auto seconds = read_number(value, 3600);
  if (!seconds) return wrong("not a number of seconds: write one up to 3600");
  return *seconds == 0 ? kNoNote
                       : "resume does not pause: leave the key out; 'resume --status' tells beforehand what "
                         "it would do";
}

ReadOutcome read_debug_test_file(std::string_view, Settings&) {
  return "not used: leave the key out; s2disk --from FILE writes a snapshot from a file, without hibernating";
}

ReadOutcome read_debug_verify_image(std::string_view value, Settings& settings) {
  const auto on = parse_bool(value);
  if (!on) return wrong(on.error());
  if (!*on) return kNoNote;
  settings.verify = true;
  return "taken as 'verify = y', by which the image is read back and checked before it is marked: write that";
}

using S = Settings;

constexpr std::array<KeyInfo, kKeys> kTable{{
    {Key::kSnapshotDevice, "snapshot device", "the kernel's snapshot device", read_path<&S::snapshot_device>,
     print_path<&S::snapshot_device>},
    {Key::kResumeDevice, "resume device", "block device with the swap area: a path or MAJOR:MINOR",
     read_with<parse_resume_device, &S::resume_device>, print_path<&S::resume_device>,
     "the best active swap area"},
    {Key::kResumeOffset, "resume offset", "where the swap header is on that device, in pages",
     read_with<parse_resume_offset, &S::resume_offset_pages>, print_number<&S::resume_offset_pages>,
     "where the resume device has its swap header"},
    {Key::kImageSize, "image size",
     "cap on the snapshot image: bytes, K M G T (1024-based) or 45% of RAM; 0 as small as possible; default "
     "40%",
     read_with<parse_image_size, &S::image_size>, print_image_size},
    {Key::kCompress, "compress", "auto (the default), none, lzf, lz4[:1..64] or zstd[:-7..19]",
     read_with<parse_codec_choice, &S::codec>, print_codec},
    {Key::kEarlyWriteout, "early writeout",
     "push the image towards the medium each time PCT % of it has been produced, or off: one flush at the "
     "end; default 1",
     read_with<parse_early_writeout, &S::early_writeout>, print_early_writeout},
    {Key::kIo, "io", "direct (past the page cache, the default) or buffered",
     read_with<parse_word<IoMode>, &S::io>, print_word<&S::io>},
    {Key::kThreads, "threads", "workers that pack or unpack, or auto (the default)",
     read_with<parse_threads, &S::threads>, print_threads},
    {Key::kFormat, "format", "dormouse (the default)", read_with<parse_word<ImageFormat>, &S::format>,
     print_word<&S::format>},
    {Key::kVerify, "verify", "read the image back and check it before it is marked",
     read_with<parse_bool, &S::verify>, print_bool<&S::verify>},
    {Key::kShutdownMethod, "shutdown method",
     "platform (the default), shutdown, reboot, suspend, or none: a rehearsal",
     read_with<parse_word<ShutdownMethod>, &S::shutdown_method>, print_word<&S::shutdown_method>},
    {Key::kReport, "report", "form of the report on stdout: text (the default), json or prometheus",
     read_with<parse_word<ReportFormat>, &S::report>, print_word<&S::report>},
    {Key::kReportFile, "report file", "a copy of the report", read_path<&S::report_file>,
     print_path<&S::report_file>, "none, stdout only"},
    {Key::kProgress, "progress", "auto (the default), bar, plain or none",
     read_with<parse_word<ProgressMode>, &S::progress>, print_word<&S::progress>},
    {Key::kSuspendLoglevel, "suspend loglevel", "console log level while suspending",
     read_with<parse_loglevel, &S::suspend_loglevel>, print_number<&S::suspend_loglevel>, "as it is"},
    {Key::kMaxLoglevel, "max loglevel", "highest console log level while suspending",
     read_with<parse_loglevel, &S::max_loglevel>, print_number<&S::max_loglevel>, "without effect"},
    {Key::kResumeAttempts, "resume attempts",
     "tries to load an image, one a boot, before the swap area is given back: 1 to 100; default 2",
     read_with<parse_resume_attempts, &S::resume_attempts>, print_count<&S::resume_attempts>},
    {Key::kResumeCountdown, "resume countdown",
     "seconds to choose in after a failed try, 0 to 600; default 20",
     read_with<parse_countdown, &S::resume_countdown>, print_count<&S::resume_countdown>},
    {Key::kEncrypt, "encrypt",
     "seal the image: y with the quickest cipher here, aes-256-gcm, aes-256-ocb or chacha20-poly1305; "
     "default n",
     read_with<parse_encrypt, &S::encrypt>, print_encrypt},
    {Key::kKeyFile, "key file",
     "a key that opens the image: 32 raw bytes, or a key pair of suspend-keygen; may be given several times",
     add_path<&S::key_files>, print_nothing, "none", &S::key_files},
    {Key::kPassphrase, "passphrase",
     "ask for a passphrase when sealing; default y without a key file, else n",
     read_with<parse_bool, &S::passphrase>, print_passphrase, "y without a key file, else n"},
    {Key::kPassphraseCountdown, "passphrase countdown",
     "seconds that resume waits for the passphrase at boot, 1 to 600; default 60",
     read_with<parse_waiting_time, &S::passphrase_countdown>, print_count<&S::passphrase_countdown>},
    {Key::kRsaKeyFile, "RSA key file", "", read_path<&S::rsa_key_file>, print_path<&S::rsa_key_file>, "none"},
    {Key::kComputeChecksum, "compute checksum", "", read_compute_checksum, print_nothing, "without effect"},
    {Key::kSplash, "splash", "", read_splash, print_nothing, "without effect"},
    {Key::kFbsplashTheme, "fbsplash theme", "", read_fbsplash_theme, print_nothing, "without effect"},
    {Key::kResumePause, "resume pause", "", read_resume_pause, print_nothing, "without effect"},
    {Key::kDebugTestFile, "debug test file", "", read_debug_test_file, print_nothing, "without effect"},
    {Key::kDebugVerifyImage, "debug verify image", "", read_debug_verify_image, print_nothing,
     "another name of 'verify'"},
}};

constexpr bool table_is_in_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<std::size_t>(kTable[i].key) != i) return false;
  }
  return true;
}
static_assert(table_is_in_order(), "key_info() indexes the table by Key");

std::string normal_name(std::string_view name) {
  std::string normal;
  for (const char c : name) {
    const bool gap = c == ' ' || c == '\t' || c == '_' || c == '-';
    if (!gap) {
      normal += c;
    } else if (!normal.empty() && normal.back() != ' ') {
      normal += ' ';
    }
  }
  if (normal.ends_with(' ')) normal.pop_back();
  return lower_case(normal);
}

}  // namespace

std::span<const KeyInfo> key_table() {
  return kTable;
}

const KeyInfo& key_info(Key key) {
  return kTable[static_cast<std::size_t>(key)];
}

const KeyInfo* find_key(std::string_view name) {
  const std::string wanted = normal_name(name);
  const auto* found =
      std::ranges::find_if(kTable, [&](const KeyInfo& k) { return lower_case(k.name) == wanted; });
  return found == kTable.end() ? nullptr : found;
}

std::optional<std::string_view> nearest_key(std::string_view name) {
  std::vector<std::string_view> names;
  for (const KeyInfo& info : kTable) names.push_back(info.name);
  return nearest_word(normal_name(name), names);
}

}  // namespace dormouse
