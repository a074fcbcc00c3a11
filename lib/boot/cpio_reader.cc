#include "boot/cpio_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <span>
#include <vector>

namespace dormouse {
namespace {

constexpr std::string_view kStep = "read initramfs";
constexpr std::string_view kTrailer = "TRAILER!!!";
constexpr std::size_t kLongestName = 4096;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Field `index` of the thirteen that follow the magic, eight hexadecimal digits each.
std::optional<std::uint32_t> field(std::span<const std::byte> header, std::size_t index) {
  const std::string_view digits = text_of(header.subspan(6 + index * 8, 8));
  std::uint32_t value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (problem != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

struct Header {
  std::uint32_t mode = 0;
  std::uint32_t size = 0;
  std::uint32_t name_bytes = 0;  // with the closing zero
};

std::optional<Header> decode(std::span<const std::byte> bytes) {
  const std::string_view magic = text_of(bytes.first(6));
  if (magic != "070701" && magic != "070702") return std::nullopt;
  const auto mode = field(bytes, 1);
  const auto size = field(bytes, 6);
  const auto name_bytes = field(bytes, 11);
  if (!mode || !size || !name_bytes) return std::nullopt;
  return Header{.mode = *mode, .size = *size, .name_bytes = *name_bytes};
}

constexpr std::uint64_t padding_of(std::uint64_t bytes) {
  return (4 - bytes % 4) % 4;
}

std::string without_lead(std::string_view name) {
  while (name.starts_with("./") || name.starts_with("/")) name.remove_prefix(name.starts_with("/") ? 1 : 2);
  return std::string(name);
}

}  // namespace

std::optional<std::uint64_t> cpio_entry_bytes(std::span<const std::byte> bytes) {
  const auto header = decode(bytes);
  if (!header) return std::nullopt;
  const std::uint64_t named = kCpioHeaderBytes + std::uint64_t{header->name_bytes};
  return named + padding_of(named) + header->size + padding_of(header->size);
}

CpioReader::CpioReader(ByteStream& stream, std::string path) : stream_(stream), path_(std::move(path)) {}

Failure CpioReader::damaged(std::string_view what) const {
  return fail(Errc::kCorrupt, kStep)
      .on(path_)
      .because("{} at byte {} of what it unpacks to", what, position_);
}

Result<std::size_t> CpioReader::read(std::span<std::byte> out) {
  auto got = stream_.read(out);
  if (got) position_ += *got;
  return got;
}

// Archives are padded with zeros to wherever the next one is to begin, by fours.
Result<bool> CpioReader::read_header(std::span<std::byte> header) {
  while (true) {
    const auto got = read(header.first(4));
    if (!got) return std::unexpected(got.error());
    const bool zero = std::ranges::all_of(header.first(*got), [](std::byte b) { return b == std::byte{0}; });
    if (*got < 4) {
      if (zero) return false;
      return damaged("stray bytes");
    }
    if (!zero) break;
  }
  const auto rest = read(header.subspan(4));
  if (!rest) return std::unexpected(rest.error());
  if (*rest < header.size() - 4) return damaged("the end within an entry");
  return true;
}

Result<void> CpioReader::skip(std::uint64_t bytes) {
  std::array<std::byte, 16384> piece{};
  while (bytes > 0) {
    const auto got =
        read(std::span(piece).first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, piece.size()))));
    if (!got) return std::unexpected(got.error());
    if (*got == 0) return damaged("the end within an entry");
    bytes -= *got;
  }
  return {};
}

Result<std::optional<CpioEntry>> CpioReader::next() {
  while (true) {
    if (auto r = skip(left_ + padding_); !r) return std::unexpected(r.error());
    left_ = padding_ = 0;
    std::array<std::byte, kCpioHeaderBytes> bytes{};
    const auto more = read_header(bytes);
    if (!more) return std::unexpected(more.error());
    if (!*more) return std::nullopt;
    const auto header = decode(bytes);
    if (!header) return damaged("no cpio entry");
    if (header->name_bytes == 0 || header->name_bytes > kLongestName)
      return damaged("an entry with an impossible name");
    std::string name(header->name_bytes, '\0');
    const auto got = read(std::as_writable_bytes(std::span(name)));
    if (!got) return std::unexpected(got.error());
    if (*got < name.size()) return damaged("the end within an entry");
    name.resize(::strnlen(name.data(), name.size()));
    if (auto r = skip(padding_of(kCpioHeaderBytes + header->name_bytes)); !r)
      return std::unexpected(r.error());
    left_ = header->size;
    padding_ = padding_of(header->size);
    if (name == kTrailer) continue;
    return CpioEntry{.path = without_lead(name), .mode = header->mode, .size = header->size};
  }
}

Result<std::string> CpioReader::contents(std::size_t limit) {
  if (left_ > limit) return damaged("a file that is too large for what it should hold");
  std::string text(static_cast<std::size_t>(left_), '\0');
  const auto got = read(std::as_writable_bytes(std::span(text)));
  if (!got) return std::unexpected(got.error());
  if (*got < text.size()) return damaged("the end within an entry");
  left_ = 0;
  return text;
}

}  // namespace dormouse
