#include "boot/efi_variables.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>

#include "kernel/text_file.h"

namespace dormouse {
namespace {

constexpr std::string_view kStep = "read HibernateLocation";
constexpr std::string_view kSystemdGuid = "8cf2644b-4b0b-428f-9387-6d876050dc67";
constexpr std::string_view kLoaderGuid = "4a67b082-0a4c-41cf-b6c7-440b29bb8c4f";
constexpr std::size_t kAttributeBytes = 4;

std::string variable_path(std::string_view name, std::string_view guid, const Host& host) {
  return fmt::format("{}/firmware/efi/efivars/{}-{}", host.paths.sys, name, guid);
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

/// From UTF-16LE, up to a closing zero; nullopt for an odd length or half a pair.
std::optional<std::string> from_utf16(std::string_view bytes) {
  if (bytes.size() % 2 != 0) return std::nullopt;
  const auto unit = [&](std::size_t index) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[2 * index]) |
                                      static_cast<unsigned char>(bytes[2 * index + 1]) << 8);
  };
  std::string text;
  const std::size_t units = bytes.size() / 2;
  for (std::size_t i = 0; i < units; ++i) {
    std::uint32_t code = unit(i);
    if (code == 0) break;
    if (code >= 0xDC00 && code < 0xE000) return std::nullopt;
    if (code >= 0xD800 && code < 0xDC00) {
      if (i + 1 >= units || unit(i + 1) < 0xDC00 || unit(i + 1) >= 0xE000) return std::nullopt;
      code = 0x10000 + ((code - 0xD800) << 10) + (unit(++i) - 0xDC00);
    }
    append_utf8(text, code);
  }
  return text;
}

Failure unreadable(const std::string& path, std::string_view why) {
  return fail(Errc::kCorrupt, kStep).on(path).because("{}", why);
}

}  // namespace

std::string loader_variable(std::string_view name, const Host& host) {
  const auto bytes = read_text_file(variable_path(name, kLoaderGuid, host), host.calls);
  if (!bytes || bytes->size() < kAttributeBytes) return {};
  return from_utf16(std::string_view(*bytes).substr(kAttributeBytes)).value_or("");
}

std::string hibernate_location_path(const Host& host) {
  return variable_path("HibernateLocation", kSystemdGuid, host);
}

Result<std::optional<HibernateLocation>> read_hibernate_location(const Host& host) {
  HibernateLocation location{.path = hibernate_location_path(host), .uuid = {}, .kernel_version = {}};
  const auto bytes = read_text_file(location.path, host.calls);
  if (!bytes) {
    const int problem = bytes.error().errnum;
    if (problem == ENOENT || problem == ENOTDIR) return std::nullopt;
    return std::unexpected(bytes.error());
  }
  if (bytes->size() <= kAttributeBytes) return unreadable(location.path, "it is empty");
  const auto text = from_utf16(std::string_view(*bytes).substr(kAttributeBytes));
  if (!text) return unreadable(location.path, "it is no text in UTF-16");
  const auto json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return unreadable(location.path, "it is no JSON object");
  const auto uuid = json.find("uuid");
  const auto offset = json.find("offset");
  if (uuid == json.end() || !uuid->is_string()) return unreadable(location.path, "it has no 'uuid'");
  if (offset == json.end() || !offset->is_number_unsigned())
    return unreadable(location.path, "it has no 'offset'");
  location.uuid = uuid->get<std::string>();
  location.offset = offset->get<std::uint64_t>();
  if (const auto version = json.find("kernelVersion"); version != json.end() && version->is_string())
    location.kernel_version = version->get<std::string>();
  return location;
}

}  // namespace dormouse
