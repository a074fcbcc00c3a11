#include "kernel/active_swaps.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include "kernel/text_file.h"

namespace dormouse {
namespace {

constexpr std::uint64_t kUnitBytes = 1024;

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

/// The kernel writes blanks, tabs, newlines and backslashes of a path as \ooo.
std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      const int value = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
      result += static_cast<char>(value);
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string_view next_word(std::string_view& line) {
  line = trimmed(line);
  const auto word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

template <class T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && status == std::errc{} && end == text.data() + text.size();
}

bool parse_line(std::string_view line, ActiveSwap& swap) {
  swap.path = unescaped(next_word(line));
  const auto kind = next_word(line);
  if (kind != "partition" && kind != "file") return false;
  swap.kind = kind == "file" ? ActiveSwap::Kind::kFile : ActiveSwap::Kind::kPartition;
  const auto size = next_word(line);
  const auto used = next_word(line);
  const auto priority = next_word(line);
  if (!parse_number(size, swap.size_bytes) || !parse_number(used, swap.used_bytes)) return false;
  if (!parse_number(priority, swap.priority)) return false;
  swap.size_bytes *= kUnitBytes;
  swap.used_bytes *= kUnitBytes;
  return !swap.path.empty();
}

std::uint64_t device_of(const ActiveSwap& swap, const SystemPaths& paths) {
  constexpr std::string_view kDev = "/dev/";
  auto path = swap.path;
  path = path.starts_with(kDev) ? paths.dev + "/" + path.substr(kDev.size()) : paths.root + path;
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return 0;
  return swap.kind == ActiveSwap::Kind::kPartition ? status.st_rdev : status.st_dev;
}

}  // namespace

Result<std::vector<ActiveSwap>> parse_swaps(std::string_view text) {
  std::vector<ActiveSwap> swaps;
  bool heading = true;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (std::exchange(heading, false) || trimmed(line).empty()) continue;
    ActiveSwap swap;
    if (!parse_line(line, swap)) {
      return fail(Errc::kIo, "read active swap areas").because("this line is not understood: \"{}\"", line);
    }
    // Behind its equals, so that these keep the kernel's order.
    const auto place = std::ranges::upper_bound(swaps, swap.priority, std::greater{}, &ActiveSwap::priority);
    swaps.insert(place, std::move(swap));
  }
  return swaps;
}

Result<std::vector<ActiveSwap>> read_active_swaps(const SystemPaths& paths, SystemCalls& calls) {
  auto text = read_text_file(paths.proc + "/swaps", calls);
  if (!text) return std::unexpected(text.error());
  auto swaps = parse_swaps(*text);
  if (!swaps) return swaps;
  for (auto& swap : *swaps) swap.device = device_of(swap, paths);
  return swaps;
}

}  // namespace dormouse
