#include "support/memory_scan.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>

namespace dormouse::test {
namespace {

struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::string access;
};

/// Of a line of /proc/self/maps or the head line of one of smaps; empty for any other line.
Mapping parse(const std::string& line) {
  Mapping mapping;
  char dash = 0;
  std::istringstream words(line);
  words >> std::hex >> mapping.begin >> dash >> mapping.end >> mapping.access;
  return words && dash == '-' ? mapping : Mapping{};
}

bool is_at(const std::byte* place, const Masked& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (place[i] != wanted.at(i)) return false;
  }
  return true;
}

std::size_t count_in(const Mapping& mapping, const Masked& wanted) {
  std::size_t count = 0;
  const auto* at = reinterpret_cast<const std::byte*>(mapping.begin);
  const auto* end = reinterpret_cast<const std::byte*>(mapping.end);
  while (static_cast<std::size_t>(end - at) >= wanted.size()) {
    const auto span = static_cast<std::size_t>(end - at) - wanted.size() + 1;
    at = static_cast<const std::byte*>(std::memchr(at, std::to_integer<int>(wanted.at(0)), span));
    if (at == nullptr) break;
    count += is_at(at, wanted) ? 1 : 0;
    ++at;
  }
  return count;
}

}  // namespace

Masked::Masked(std::span<const std::byte> bytes) {
  for (const std::byte b : bytes) bytes_.push_back(b ^ kMask);
}

std::size_t count_in_memory(const Masked& wanted) {
  std::vector<Mapping> mappings;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (const Mapping mapping = parse(line); mapping.access.starts_with("rw")) mappings.push_back(mapping);
  }
  std::size_t count = 0;
  for (const Mapping& mapping : mappings) count += count_in(mapping, wanted);
  return count;
}

std::string mapping_flags(const void* place) {
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  std::ifstream smaps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    if (const Mapping mapping = parse(line); mapping.end != 0)
      inside = mapping.begin <= address && address < mapping.end;
    if (inside && line.starts_with("VmFlags:")) return line.substr(9);
  }
  return {};
}

}  // namespace dormouse::test
