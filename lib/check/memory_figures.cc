#include "check/memory_figures.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "kernel/text_file.h"

namespace dormouse {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kFrameRecordBytes = 64;
constexpr std::uint64_t kKernelBytes = 32 * kMiB;
/// kernel-facts D.2: free frames that must be left at the moment of copying.
constexpr std::uint64_t kKeptForIo = 4 * kMiB;
constexpr std::uint64_t kDefaultReserved = kMiB;

std::optional<std::uint64_t> number_of(std::string_view text) {
  text = trimmed(text);
  std::uint64_t value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) return std::nullopt;
  return value;
}

/// One line of /proc/meminfo, in bytes. Keys are whole: "Active(file)" is not "Inactive(file)".
std::optional<std::uint64_t> line_of(std::string_view text, std::string_view key) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0} / 1024;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(key) || line.substr(key.size(), 1) != ":") continue;
    const auto kibibytes = number_of(line.substr(key.size() + 1));
    if (!kibibytes || *kibibytes > kMost) return std::nullopt;
    return *kibibytes * 1024;
  }
  return std::nullopt;
}

std::uint64_t sum_of(std::string_view text, std::initializer_list<std::string_view> keys) {
  std::uint64_t sum = 0;
  for (const auto key : keys) sum += line_of(text, key).value_or(0);
  return sum;
}

std::uint64_t less(std::uint64_t from, std::uint64_t what) {
  return from > what ? from - what : 0;
}

std::uint64_t number_in(const std::string& path, const Host& host, std::uint64_t otherwise) {
  const auto text = read_text_file(path, host.calls);
  return text ? number_of(*text).value_or(otherwise) : otherwise;
}

/// kernel-facts D.2. The kernel keeps more than min_free_kbytes back, by about as much again; its bitmaps
/// take two bits for each page frame.
std::uint64_t limit_of(const MemoryFigures& memory, const Host& host, std::uint32_t page_bytes) {
  const auto kept = number_in(host.paths.proc + "/sys/vm/min_free_kbytes", host, 0);
  const auto reserved = number_in(host.paths.sys + "/power/reserved_size", host, kDefaultReserved);
  const std::uint64_t all = memory.total + memory.fixed;
  const std::uint64_t bitmaps = all / page_bytes / 4;
  const std::uint64_t reserve = 2 * std::min(kept, all / 2048) * 1024;
  return less(less(all, reserve + bitmaps + kKeptForIo) / 2, 2 * std::min(reserved, all));
}

}  // namespace

Result<MemoryFigures> read_memory_figures(const Host& host, std::uint32_t page_bytes) {
  const auto path = host.paths.proc + "/meminfo";
  const auto text = read_text_file(path, host.calls);
  if (!text) return std::unexpected(text.error());
  const auto total = line_of(*text, "MemTotal");
  const auto free = line_of(*text, "MemFree");
  const auto available = line_of(*text, "MemAvailable");
  if (!total || !free || !available || *free > *total) {
    return fail(Errc::kIo, "read")
        .on(path)
        .because("it does not say MemTotal, MemFree and MemAvailable: is /proc mounted?");
  }
  MemoryFigures memory{.total = *total, .free = *free, .available = *available};
  memory.droppable = sum_of(*text, {"Active(file)", "Inactive(file)", "SReclaimable"});
  memory.swappable = sum_of(*text, {"Active(anon)", "Inactive(anon)"});
  memory.fixed = *total / page_bytes * kFrameRecordBytes + kKernelBytes;
  memory.limit = limit_of(memory, host, page_bytes);
  return memory;
}

ForetoldImage foretell_image(const MemoryFigures& memory, std::uint64_t cap_bytes,
                             std::uint64_t free_swap_bytes) {
  const std::uint64_t wanted = std::min(cap_bytes, memory.limit);
  if (memory.saveable() <= wanted) return {.image_bytes = memory.saveable(), .swapped_out_bytes = 0};
  if (memory.undroppable() <= wanted) return {.image_bytes = wanted, .swapped_out_bytes = 0};
  const std::uint64_t out = std::min({memory.undroppable() - wanted, memory.swappable, free_swap_bytes});
  return {.image_bytes = memory.undroppable() - out, .swapped_out_bytes = out};
}

}  // namespace dormouse
