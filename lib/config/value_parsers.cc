#include "config/value_parsers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace dormouse {
namespace {

std::unexpected<std::string> wrong(std::string text) {
  return std::unexpected(std::move(text));
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A decimal number held exactly: `units` of 1 / scale.
struct Decimal {
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0;  // of 10 ^ digits
  unsigned digits = 0;
};

constexpr unsigned kMaxFractionDigits = 6;

std::uint64_t power_of_ten(unsigned exponent) {
  std::uint64_t power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

/// "12" or "12.5", up to six digits behind the point.
std::optional<Decimal> read_decimal(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  if (whole.empty() || !std::ranges::all_of(whole, is_digit)) return std::nullopt;
  const auto number = read_number(whole);
  if (!number) return std::nullopt;
  Decimal decimal{.whole = *number};
  if (point == std::string_view::npos) return decimal;
  const std::string_view fraction = text.substr(point + 1);
  if (fraction.empty() || fraction.size() > kMaxFractionDigits) return std::nullopt;
  if (!std::ranges::all_of(fraction, is_digit)) return std::nullopt;
  decimal.fraction = *read_number(fraction);
  decimal.digits = static_cast<unsigned>(fraction.size());
  return decimal;
}

/// Millionths of the whole for a percentage without its sign; nullopt if finer than a millionth or above 100.
std::optional<std::uint32_t> read_percent(std::string_view text) {
  const auto decimal = read_decimal(text);
  if (!decimal || decimal->whole > 100) return std::nullopt;
  const std::uint64_t scaled = decimal->fraction * power_of_ten(kMaxFractionDigits - decimal->digits);
  if (scaled % 100 != 0) return std::nullopt;
  const std::uint64_t millionths = decimal->whole * 10'000 + scaled / 100;
  if (millionths > ImageSize::kWhole) return std::nullopt;
  return static_cast<std::uint32_t>(millionths);
}

/// Bits to shift by for "", "K", "KiB", "MiB", ...; nullopt for anything else.
std::optional<unsigned> unit_shift(std::string_view unit) {
  const std::string word = lower_case(unit);
  if (word.empty()) return 0;
  const std::size_t index = std::string_view("kmgt").find(word[0]);
  if (index == std::string_view::npos || (word.size() > 1 && word.substr(1) != "ib")) return std::nullopt;
  return static_cast<unsigned>(10 * (index + 1));
}

constexpr std::string_view kSizeRule =
    "not a size: write bytes, 512M, 2G, 1.5GiB, 0x20000000 or 40% (of RAM)";

}  // namespace

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
}

std::optional<bool> read_bool(std::string_view text) {
  static constexpr std::array<std::string_view, 7> kYes = {"y", "yes",    "true",   "on",
                                                           "1", "enable", "enabled"};
  static constexpr std::array<std::string_view, 7> kNo = {"n", "no",      "false",   "off",
                                                          "0", "disable", "disabled"};
  const std::string word = lower_case(text);
  if (std::ranges::find(kYes, word) != kYes.end()) return true;
  if (std::ranges::find(kNo, word) != kNo.end()) return false;
  return std::nullopt;
}

std::optional<std::uint64_t> read_number(std::string_view text, std::uint64_t max) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number, base);
  if (problem != std::errc{} || stop != end || number > max) return std::nullopt;
  return number;
}

Parsed<bool> parse_bool(std::string_view text) {
  if (const auto value = read_bool(text)) return *value;
  return wrong("neither yes nor no: write y or n");
}

Parsed<ImageSize> parse_image_size(std::string_view text) {
  using Unit = ImageSize::Unit;
  if (text.ends_with('%')) {
    const auto millionths = read_percent(trim(text.substr(0, text.size() - 1)));
    if (!millionths) return wrong("not a percentage of RAM: write one from 0% to 100%, such as 40%");
    return ImageSize{.unit = Unit::kRamMillionths, .value = *millionths};
  }
  if (const auto plain = read_number(text)) return ImageSize{.unit = Unit::kBytes, .value = *plain};

  const std::size_t end = text.find_first_not_of("0123456789.");
  if (end == std::string_view::npos || end == 0) return wrong(std::string(kSizeRule));
  const auto number = read_decimal(text.substr(0, end));
  const std::string_view unit = trim(text.substr(end));
  const auto shift = unit_shift(unit);
  if (!shift && lower_case(unit).ends_with('b')) {
    return wrong(
        fmt::format("the unit '{}' could be 1000- or 1024-based: write K, M, G or T, all 1024-based", unit));
  }
  if (!number || !shift) return wrong(std::string(kSizeRule));
  if (number->whole > (UINT64_MAX >> *shift) - 1)
    return wrong("larger than any memory: write less, or 100% for all of it");
  const std::uint64_t part = (number->fraction << *shift) / power_of_ten(number->digits);
  return ImageSize{.unit = Unit::kBytes, .value = (number->whole << *shift) + part};
}

Parsed<CodecChoice> parse_codec_choice(std::string_view text) {
  if (const auto on = read_bool(text)) {
    if (*on) return CodecChoice{};
    return CodecChoice{.automatic = false, .spec = {.id = CodecId::kStored, .level = 0}};
  }
  const auto spec = parse_codec(text);
  if (!spec) return wrong(fmt::format("neither a codec nor yes or no: {}", spec.error().detail.view()));
  return CodecChoice{.automatic = lower_case(text) == "auto", .spec = *spec};
}

Parsed<EarlyWriteout> parse_early_writeout(std::string_view text) {
  if (text != "1") {
    if (const auto on = read_bool(text)) return *on ? EarlyWriteout{} : EarlyWriteout{.millionths = 0};
  }
  std::string_view number = text;
  if (number.ends_with('%')) number = trim(number.substr(0, number.size() - 1));
  const auto millionths = read_percent(number);
  if (!millionths || *millionths == 0) {
    return wrong("not a percentage: write one above 0 and up to 100 (steps of 0.0001), such as 1%, or off");
  }
  return EarlyWriteout{.millionths = *millionths};
}

Parsed<std::optional<unsigned>> parse_threads(std::string_view text) {
  if (lower_case(text) == "auto") return std::nullopt;
  if (const auto number = read_number(text, kMaxThreads); number && *number > 0) {
    return static_cast<unsigned>(*number);
  }
  if (text != "0") {
    if (const auto on = read_bool(text)) return *on ? std::nullopt : std::optional(1U);
  }
  return wrong(fmt::format("not a number of threads: write one from 1 to {}, or auto", kMaxThreads));
}

Parsed<EncryptChoice> parse_encrypt(std::string_view text) {
  if (const auto on = read_bool(text)) return EncryptChoice{.on = *on, .cipher = {}};
  if (const auto cipher = cipher_of(lower_case(text))) return EncryptChoice{.on = true, .cipher = *cipher};
  return wrong(fmt::format("neither yes nor no nor a cipher: write y, n, {}, {} or {}",
                           cipher_name(Cipher::kAes256Gcm), cipher_name(Cipher::kAes256Ocb),
                           cipher_name(Cipher::kChaCha20Poly1305)));
}

Parsed<std::uint64_t> parse_resume_offset(std::string_view text) {
  if (const auto pages = read_number(text)) return *pages;
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) {
    return wrong("not a number of pages: write how many there are before the swap header on its device");
  }
  const std::string_view stray = text.substr(digits);
  if (stray.starts_with('.') || stray.starts_with(':')) {
    return wrong(
        fmt::format("stray characters '{:.60}': write the number alone; in what filefrag -v prints it is the "
                    "one before '..' in the first line's physical_offset column",
                    stray));
  }
  return wrong(
      fmt::format("stray characters '{:.60}' behind the number of pages: write the number alone", stray));
}

Parsed<std::string> parse_resume_device(std::string_view text) {
  const std::string lower = lower_case(text);
  for (const std::string_view second :
       {" resume_offset", "\tresume_offset", " resume offset", " resume-offset"}) {
    const std::size_t at = lower.find(second);
    if (at == std::string::npos || lower.find('=', at) == std::string::npos) continue;
    return wrong(
        fmt::format("one value holds two settings: write the device '{}' here, and 'resume offset = {}' in a "
                    "line of its own (or as --resume-offset)",
                    trim(text.substr(0, at)), trim(text.substr(lower.find('=', at) + 1))));
  }
  if (lower.starts_with("resume="))
    return wrong("this is the kernel's own option: write the device alone, without 'resume='");
  return std::string(text);
}

Parsed<int> parse_loglevel(std::string_view text) {
  if (const auto level = read_number(text, 15)) return static_cast<int>(*level);
  return wrong("not a console log level: write one from 0 to 15");
}

Parsed<unsigned> parse_resume_attempts(std::string_view text) {
  if (const auto tries = read_number(text, 100); tries && *tries > 0) return static_cast<unsigned>(*tries);
  return wrong("not a number of tries: write one from 1 to 100");
}

Parsed<unsigned> parse_countdown(std::string_view text) {
  if (const auto seconds = read_number(text, kLongestCountdown)) return static_cast<unsigned>(*seconds);
  return wrong(fmt::format("not a number of seconds: write one from 0 to {}", kLongestCountdown));
}

Parsed<unsigned> parse_waiting_time(std::string_view text) {
  const auto seconds = read_number(text, kLongestCountdown);
  if (seconds && *seconds > 0) return static_cast<unsigned>(*seconds);
  return wrong(fmt::format("not a number of seconds: write one from 1 to {}", kLongestCountdown));
}

std::string percent_text(std::uint64_t millionths) {
  std::string text = fmt::format("{}.{:04}", millionths / 10'000, millionths % 10'000);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text + "%";
}

}  // namespace dormouse
