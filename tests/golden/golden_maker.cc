/// Makes a golden file anew, and the hex lines of FORMAT.md's example: golden_maker plain|sealed FILE >
/// lines. Of a sealed one, the lines are its keys.
#include <cstdio>
#include <fstream>
#include <span>
#include <string_view>

#include "golden/golden_image.h"

int main(int argc, char** argv) {
  const std::string_view kind = argc == 3 ? argv[1] : "";
  if (kind != "plain" && kind != "sealed") {
    std::fputs("usage: golden_maker plain|sealed FILE\n", stderr);
    return 2;
  }
  const auto area =
      kind == "plain" ? dormouse::test::make_golden_area() : dormouse::test::make_sealed_golden_area();
  const auto bytes = area.bytes();
  std::ofstream file(argv[2], std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) return 1;
  if (kind == "sealed") {
    for (const auto& [name, hex] : dormouse::test::golden_key_texts())
      std::printf("    %-16s %s\n", name.c_str(), hex.c_str());
    return 0;
  }
  for (std::size_t at = 1024; at < 3 * 4096; at += 16) {
    const auto line = bytes.subspan(at, 16);
    bool zero = true;
    for (const std::byte b : line) zero = zero && b == std::byte{0};
    if (zero) continue;
    std::printf("    %08zx ", at);
    for (const std::byte b : line) std::printf(" %02x", std::to_integer<unsigned>(b));
    std::printf("\n");
  }
  return 0;
}
