/// One value on its way into the settings.
#include <fmt/core.h>

#include <algorithm>

#include "config/key_table.h"
#include "config/value_parsers.h"

namespace dormouse {
namespace {

/// An offset counts from the start of its own device: read on another one it would name somebody's data.
std::string part_from_offset(const std::string& device_before, const Origin& origin, Settings& settings) {
  const Origin offset = settings.origin(Key::kResumeOffset);
  const bool had_device = settings.origin(Key::kResumeDevice).kind == origin.kind;
  if (!had_device || offset.kind != origin.kind || !settings.resume_offset_pages) return {};
  if (device_before == settings.resume_device) return {};
  const std::uint64_t pages = *settings.resume_offset_pages;
  settings.resume_offset_pages.reset();
  settings.origins[static_cast<std::size_t>(Key::kResumeOffset)] = {};
  return fmt::format(
      "the resume offset {} of {} is not used: it belongs to '{:.60}', which was named before; give this "
      "device's own after it",
      pages, offset.place, device_before);
}

}  // namespace

ReadOutcome assign(const KeyInfo& info, std::string_view value, Origin origin, Settings& settings) {
  if (value.empty()) return std::unexpected("the value is empty: write one, or leave the key out");
  if (std::ranges::any_of(value, is_control)) {
    return std::unexpected("the value has a control character: write it without");
  }
  if (info.list != nullptr && settings.origin(info.key).kind != origin.kind) {
    (settings.*info.list).clear();
    settings.key_file_origins.clear();
  }
  const std::string device_before = settings.resume_device;
  auto outcome = info.read(value, settings);
  if (!outcome) return outcome;
  if (info.key == Key::kResumeDevice) outcome = part_from_offset(device_before, origin, settings);
  if (info.list != nullptr) settings.key_file_origins.push_back(origin);
  if (info.key == Key::kDebugVerifyImage && settings.verify) {
    settings.origins[static_cast<std::size_t>(Key::kVerify)] = origin;
  }
  settings.origins[static_cast<std::size_t>(info.key)] = std::move(origin);
  return outcome;
}

}  // namespace dormouse
