#include "config/settings.h"

namespace dormouse {

std::vector<std::string> Settings::all_key_files() const {
  const auto by_key = origin(Key::kKeyFile).kind;
  const auto by_rsa_key = origin(Key::kRsaKeyFile).kind;
  std::vector<std::string> files;
  if (by_key >= by_rsa_key) files = key_files;
  if (!rsa_key_file.empty() && by_rsa_key >= by_key) files.push_back(rsa_key_file);
  return files;
}

const Origin& Settings::key_file_origin() const {
  const Origin& by_key = origin(Key::kKeyFile);
  const Origin& by_rsa_key = origin(Key::kRsaKeyFile);
  return by_rsa_key.kind > by_key.kind ? by_rsa_key : by_key;
}

std::uint64_t ImageSize::bytes(std::uint64_t ram_bytes) const {
  if (unit == Unit::kBytes) return value;
  // In two parts, so that the product does not overflow for any size of memory.
  return ram_bytes / kWhole * value + ram_bytes % kWhole * value / kWhole;
}

}  // namespace dormouse
