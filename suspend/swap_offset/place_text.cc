#include "place_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernel/device_number.h"

namespace dormouse {
namespace {

/// The name that lasts longest: a path may lead to another device at the next boot.
std::string lasting_name(const KnownPlace& known) {
  if (!known.tags.uuid.empty() && !known.uuid_shared) return "UUID=" + known.tags.uuid;
  if (!known.tags.partuuid.empty()) return "PARTUUID=" + known.tags.partuuid;
  return known.place.device_path;
}

nlohmann::ordered_json or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

std::string json(const KnownPlace& known) {
  const nlohmann::ordered_json object = {
      {"file", or_null(known.place.file)},
      {"device", known.place.device_path},
      {"device_number", format_device_number(known.place.device_number)},
      {"uuid", or_null(known.tags.uuid)},
      {"partuuid", or_null(known.tags.partuuid)},
      {"resume_offset", known.place.header_page},
      {"page_bytes", known.page_bytes},
      {"size_bytes", known.place.size_bytes},
      {"extents", known.place.extents},
      {"file_system", or_null(known.place.file_system)},
  };
  // A path need not be text; what is not becomes U+FFFD.
  return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string place_text(const KnownPlace& known, PlaceFormat format) {
  const std::uint64_t page = known.place.header_page;
  switch (format) {
    case PlaceFormat::kText:
      return fmt::format("{}\n", page);
    case PlaceFormat::kConf:
      return fmt::format("resume device = {}\nresume offset = {}\n", lasting_name(known), page);
    case PlaceFormat::kCmdline:
      return fmt::format("resume={} resume_offset={}\n", lasting_name(known), page);
    case PlaceFormat::kJson:
      return json(known);
  }
  return {};
}

}  // namespace dormouse
