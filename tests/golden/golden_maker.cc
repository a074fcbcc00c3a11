/// Makes the golden file anew, and the hex lines of FORMAT.md's example: golden_maker FILE > lines.
#include <cstdio>
#include <fstream>
#include <span>

#include "golden/golden_image.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: golden_maker FILE\n", stderr);
    return 2;
  }
  const auto area = dormouse::test::make_golden_area();
  const auto bytes = area.bytes();
  std::ofstream file(argv[1], std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) return 1;
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
