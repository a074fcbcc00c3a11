#include "memory_bound.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "kernel/machine_info.h"
#include "kernel/snapshot_file.h"
#include "kernel/text_file.h"

namespace dormouse {
namespace {

/// Address space in use, the first number of statm, in pages.
std::optional<std::uint64_t> used_bytes(const Host& host) {
  const auto text = read_text_file(host.paths.proc + "/self/statm", host.calls);
  if (!text) return std::nullopt;
  std::uint64_t pages = 0;
  const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), pages);
  if (problem != std::errc{}) return std::nullopt;
  return pages * system_page_bytes();
}

}  // namespace

MemoryBound::MemoryBound(const Host& host) {
  const auto used = used_bytes(host);
  const auto available = available_ram_bytes(host.paths);
  rlimit before{};
  if (!used || !available || ::getrlimit(RLIMIT_AS, &before) != 0) return;
  rlimit bound = before;
  bound.rlim_cur = std::min<rlim_t>(before.rlim_cur, *used + *available);
  if (::setrlimit(RLIMIT_AS, &bound) == 0) before_ = before;
}

MemoryBound::~MemoryBound() {
  if (before_) ::setrlimit(RLIMIT_AS, &*before_);
}

}  // namespace dormouse
