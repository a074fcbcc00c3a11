#include <fmt/format.h>

#include <algorithm>

#include "check/checks.h"
#include "check/finding_ids.h"

namespace dormouse {

Findings check_memory(const MemoryFigures& memory, std::uint64_t free_swap_bytes, std::uint64_t own_bytes) {
  Findings findings;
  const std::uint64_t can_go = std::min(memory.swappable, free_swap_bytes);
  const std::uint64_t stays = memory.undroppable() - std::min(can_go, memory.undroppable());
  const bool too_much = stays > memory.limit;
  const bool swap_helps = memory.swappable > free_swap_bytes &&
                          memory.swappable - free_swap_bytes >= stays - std::min(memory.limit, stays);
  if (too_much) {
    findings.push_back(
        found(finding::kTooMuchInUse,
              fmt::format(
                  "{} bytes of memory are in use that can neither be dropped nor swapped out, and an image "
                  "can hold "
                  "{}, about half of the memory ({} of them could be swapped out, {} bytes of swap are free)",
                  stays, memory.limit, memory.swappable, free_swap_bytes),
              fmt::format("end programs that use {} bytes{}", stays - memory.limit,
                          swap_helps ? ", or add as much swap" : "")));
  }
  const bool too_little = own_bytes > memory.available;
  if (too_little) {
    findings.push_back(found(finding::kTooLittleMemory,
                             fmt::format("s2disk itself needs {} bytes of memory, and {} are available",
                                         own_bytes, memory.available),
                             "end some programs, or ask for fewer threads (--threads=1)"));
  }
  if (!too_much && !too_little) {
    findings.push_back(found(
        finding::kMemory,
        fmt::format("{} bytes of memory are in use, {} of which the kernel can drop; an image can hold {}{}",
                    memory.saveable(), std::min(memory.droppable, memory.saveable()), memory.limit,
                    own_bytes == 0
                        ? std::string()
                        : fmt::format(". s2disk itself takes {} bytes of the {} that are available",
                                      own_bytes, memory.available))));
  }
  return findings;
}

}  // namespace dormouse
