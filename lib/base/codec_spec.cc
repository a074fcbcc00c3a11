#include "base/codec_spec.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

namespace dormouse {
namespace {

struct CodecRow {
  CodecId id;
  std::string_view name;
  CodecLevels levels;
};

constexpr std::array<CodecRow, 4> kCodecs{{
    {CodecId::kStored, "none", {}},
    {CodecId::kLzf, "lzf", {}},
    {CodecId::kLz4, "lz4", {.lowest = 1, .highest = 64, .standard = 1}},
    {CodecId::kZstd, "zstd", {.lowest = -7, .highest = 19, .standard = 1}},
}};

constexpr std::string_view kWhatThereIs = "there are auto, none, lzf, lz4[:1..64], zstd[:-7..-1 or 1..19]";

constexpr std::string_view kStep = "choose codec";

const CodecRow* find_row(std::uint8_t id) {
  const auto* row =
      std::ranges::find(kCodecs, id, [](const CodecRow& r) { return static_cast<std::uint8_t>(r.id); });
  return row == kCodecs.end() ? nullptr : row;
}

bool same_word(std::string_view text, std::string_view lower_case_word) {
  return std::ranges::equal(text, lower_case_word,
                            [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

std::optional<std::int32_t> parse_level(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int32_t level = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), level);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return level;
}

}  // namespace

CodecLevels codec_levels(CodecId id) {
  const CodecRow* row = find_row(static_cast<std::uint8_t>(id));
  return row == nullptr ? CodecLevels{} : row->levels;
}

Result<void> check_codec(CodecSpec spec) {
  const CodecRow* row = find_row(static_cast<std::uint8_t>(spec.id));
  if (row == nullptr) {
    return fail(Errc::kUsage, kStep).because("there is no codec number {}", static_cast<unsigned>(spec.id));
  }
  if (row->levels.contains(spec.level)) return {};
  if (row->levels.highest == 0) {
    return fail(Errc::kUsage, kStep)
        .because("{} has no levels, yet level {} was asked for", row->name, spec.level);
  }
  return fail(Errc::kUsage, kStep).because("{} has no level {}: {}", row->name, spec.level, kWhatThereIs);
}

std::string_view codec_name(CodecId id) {
  const CodecRow* row = find_row(static_cast<std::uint8_t>(id));
  return row == nullptr ? "unknown" : row->name;
}

InlineText<40> codec_text(const CodecSpec& spec) {
  InlineText<40> text;
  if (spec.level == codec_levels(spec.id).standard && spec.id != CodecId::kZstd) {
    text.format("{}", codec_name(spec.id));
  } else {
    text.format("{}:{}", codec_name(spec.id), spec.level);
  }
  return text;
}

Result<CodecSpec> parse_codec(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  if (same_word(word, "auto")) {
    if (colon == std::string_view::npos) return CodecSpec{};
    return fail(Errc::kUsage, kStep).because("'{}': auto takes no level; {}", text, kWhatThereIs);
  }
  const auto* row = std::ranges::find_if(kCodecs, [&](const CodecRow& r) { return same_word(word, r.name); });
  if (row == kCodecs.end()) {
    return fail(Errc::kUsage, kStep).because("'{}' is not a codec: {}", text, kWhatThereIs);
  }
  CodecSpec spec{.id = row->id, .level = row->levels.standard};
  if (colon == std::string_view::npos) return spec;
  if (row->levels.highest == 0) {
    return fail(Errc::kUsage, kStep).because("'{}': {} has no levels; {}", text, row->name, kWhatThereIs);
  }
  const auto level = parse_level(text.substr(colon + 1));
  if (!level)
    return fail(Errc::kUsage, kStep).because("'{}': the level is not a number; {}", text, kWhatThereIs);
  spec.level = *level;
  if (auto valid = check_codec(spec); !valid) return std::unexpected(valid.error());
  return spec;
}

bool is_known_codec(std::uint8_t id) {
  return find_row(id) != nullptr;
}

}  // namespace dormouse
