#include "status.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <ctime>

#include "base/codec_spec.h"
#include "report/codec_counts_json.h"
#include "report/figures_text.h"
#include "report/safe_text.h"

namespace dormouse {
namespace {

std::string format_time(std::uint64_t unix_seconds) {
  const auto time = static_cast<std::time_t>(unix_seconds);
  std::tm parts{};
  if (::gmtime_r(&time, &parts) == nullptr) return "unknown";
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text.data();
}

std::string format_age(std::uint64_t seconds) {
  if (seconds < 120) return fmt::format("{} seconds ago", seconds);
  if (seconds < 7200) return fmt::format("{} minutes ago", seconds / 60);
  if (seconds < 172800) return fmt::format("{} hours ago", seconds / 3600);
  return fmt::format("{} days ago", seconds / 86400);
}

std::string early_text(const EarlyWriteout& early) {
  return early.off() ? "off" : fmt::format("{} %", early.percent());
}

std::string_view state_text(ResumeState state) {
  switch (state) {
    case ResumeState::kWaiting:
      return "waiting to be resumed";
    case ResumeState::kJumping:
      return "stale: it has been resumed, and the disk lost the removal of its mark";
    case ResumeState::kGivenUp:
      return "stale: it was given up, but its mark is still there";
  }
  return "unknown";
}

std::string_view state_word(ResumeState state) {
  switch (state) {
    case ResumeState::kWaiting:
      return "waiting";
    case ResumeState::kJumping:
      return "jumping";
    case ResumeState::kGivenUp:
      return "given-up";
  }
  return "unknown";
}

std::string_view way_name(KeyWay way) {
  switch (way) {
    case KeyWay::kPassphrase:
      return "passphrase";
    case KeyWay::kKeyPair:
      return "key-pair";
    case KeyWay::kKeyFile:
      return "key-file";
  }
  return "unknown";
}

std::vector<std::string_view> way_names(const ImageInfo& image) {
  std::vector<std::string_view> names;
  for (const KeyWay way : image.ways) names.push_back(way_name(way));
  return names;
}

std::string sealed_text(const ImageInfo& image) {
  if (!image.cipher) return "no";
  return fmt::format("{}, opened by {}", cipher_name(*image.cipher), fmt::join(way_names(image), " or "));
}

std::uint64_t age_seconds(const AreaStatus& status) {
  const std::uint64_t made = status.image->created_unix_seconds;
  return status.now_unix_seconds > made ? status.now_unix_seconds - made : 0;
}

}  // namespace

std::string render_status_text(const AreaStatus& status) {
  std::string text = fmt::format("{} at page {}: ", safe_text(status.device), status.offset_pages);
  if (!status.image) {
    text += status.foreign.empty() ? std::string(describe(status.signature)) : status.foreign;
    return text + "\n";
  }
  const ImageInfo& i = *status.image;
  const auto row = [&text](std::string_view name, std::string_view value) {
    text += fmt::format("  {:<17}{}\n", name, value);
  };
  text += "a dormouse hibernation image\n";
  row("of", safe_text(fmt::format("{}, Linux {}, {}", i.host, i.kernel_release, i.architecture)));
  row("made", fmt::format("{} ({})", format_time(i.created_unix_seconds), format_age(age_seconds(status))));
  row("written by", safe_text(i.writer));
  row("image", fmt::format("{} pages, {:.1f} MB", i.image.pages, static_cast<double>(i.image.bytes()) / 1e6));
  row("stored",
      fmt::format("{:.1f} MB, ratio {:.2f}", static_cast<double>(i.image.stored_bytes) / 1e6,
                  static_cast<double>(i.image.stored_bytes) / static_cast<double>(i.image.bytes())));
  row("codec", i.options.adaptive ? "auto" : codec_text(i.options.codec).view());
  row("packed with", codec_counts_text(i.codecs));
  row("chunks", fmt::format("{} KiB", i.options.chunk_bytes / 1024));
  row("sealed", sealed_text(i));
  row("early writeout", early_text(i.options.early_writeout));
  row("input/output", io_name(i.options.io));
  row("write time", fmt::format("{:.2f} s, {:.1f} MB/s", seconds(i.write.duration_ns),
                                bytes_per_second(i.image.bytes(), i.write.duration_ns) / 1e6));
  row("id", i.id);
  row("state", state_text(i.state));
  row("tries", fmt::format("{} of {}", i.attempts, status.attempts_allowed));
  return text;
}

std::string render_status_json(const AreaStatus& status) {
  nlohmann::ordered_json json;
  json["schema"] = "dormouse-status/1";
  json["device"] = {{"path", safe_text(status.device)}, {"offset_pages", status.offset_pages}};
  json["signature"] = status.foreign.empty() ? std::string(describe(status.signature)) : status.foreign;
  json["image"] = nullptr;
  if (status.image) {
    const ImageInfo& i = *status.image;
    json["signature"] = "a dormouse hibernation image";
    json["image"] = {
        {"id", i.id},
        {"host", safe_text(i.host)},
        {"kernel", safe_text(i.kernel_release)},
        {"architecture", safe_text(i.architecture)},
        {"writer", safe_text(i.writer)},
        {"created_unix_seconds", i.created_unix_seconds},
        {"age_seconds", age_seconds(status)},
        {"pages", i.image.pages},
        {"page_bytes", i.image.page_bytes},
        {"bytes", i.image.bytes()},
        {"stored_bytes", i.image.stored_bytes},
        {"size_cap_bytes", i.image.size_cap_bytes},
        {"ram_bytes", i.ram_bytes},
        {"platform", i.platform},
        {"attempts", i.attempts},
        {"attempts_allowed", status.attempts_allowed},
        {"state", state_word(i.state)},
        {"cipher",
         i.cipher ? nlohmann::ordered_json(cipher_name(*i.cipher)) : nlohmann::ordered_json(nullptr)},
        {"ways", way_names(i)},
        {"codecs", codec_counts_json(i.codecs)},
        {"settings",
         {{"codec", i.options.adaptive ? "auto" : std::string(codec_name(i.options.codec.id))},
          {"level", i.options.codec.level},
          {"chunk_bytes", i.options.chunk_bytes},
          {"early_writeout_percent", i.options.early_writeout.percent()},
          {"io", std::string(io_name(i.options.io))},
          {"threads", i.options.threads}}},
        {"write", {{"seconds", seconds(i.write.duration_ns)}, {"flush_seconds", seconds(i.write.flush_ns)}}}};
  }
  return json.dump(2) + "\n";
}

}  // namespace dormouse
