/// Packs bytes in every way that an initramfs may be packed in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dormouse::test {

[[nodiscard]] const std::vector<std::string>& packer_names();
/// `name`: one of packer_names().
[[nodiscard]] std::string pack(std::string_view name, std::string_view bytes);

}  // namespace dormouse::test
