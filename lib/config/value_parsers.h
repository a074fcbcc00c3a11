/// Values as people write them. All read the whole text or refuse it, and say what is wrong in words that fit
/// behind "image size = 2Gx: ".
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "config/settings.h"

namespace dormouse {

template <class T>
using Parsed = std::expected<T, std::string>;

/// Without blanks and tabs on both sides.
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::string lower_case(std::string_view text);
/// One that no value and no line may have; a tab is none.
[[nodiscard]] bool is_control(char c);

/// y yes true on 1 enable enabled, and their opposites, in any case. Nullopt for anything else.
[[nodiscard]] std::optional<bool> read_bool(std::string_view text);

/// Decimal or 0x: digits only, at most `max`.
[[nodiscard]] std::optional<std::uint64_t> read_number(std::string_view text, std::uint64_t max = UINT64_MAX);

Parsed<bool> parse_bool(std::string_view text);
/// "2G" = 2 GiB, "1.5 GiB", "500000000", "0x20000000", "40%" (of RAM), "0".
Parsed<ImageSize> parse_image_size(std::string_view text);
/// What parse_codec() reads, and yes and no.
Parsed<CodecChoice> parse_codec_choice(std::string_view text);
/// "1%", "0.5", "off"; "y" is 1 %, what uswsusp did.
Parsed<EarlyWriteout> parse_early_writeout(std::string_view text);
/// A number, "auto"; "y" is auto and "n" is 1, what uswsusp meant.
Parsed<std::optional<unsigned>> parse_threads(std::string_view text);
/// A cipher, or yes for the quickest, or no.
Parsed<EncryptChoice> parse_encrypt(std::string_view text);
Parsed<std::uint64_t> parse_resume_offset(std::string_view text);
/// Refuses what is surely a slip: two settings in one value, the kernel's "resume=".
Parsed<std::string> parse_resume_device(std::string_view text);
Parsed<int> parse_loglevel(std::string_view text);
Parsed<unsigned> parse_resume_attempts(std::string_view text);
Parsed<unsigned> parse_countdown(std::string_view text);
/// The same, and not 0.
Parsed<unsigned> parse_waiting_time(std::string_view text);

/// "40%", "0.5%" without a needless digit.
[[nodiscard]] std::string percent_text(std::uint64_t millionths);

}  // namespace dormouse
