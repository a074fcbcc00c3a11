#include "crash/story.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "format/swap_header.h"

namespace dormouse::test {

std::string_view name(Left left) {
  constexpr std::string_view kNames[] = {"plain swap",          "the whole image", "a torn swap header",
                                         "a mark and no image", "a damaged image", "another image"};
  return kNames[std::to_underlying(left)];
}

bool Story::marks(const LoggedCall& call) const {
  return on_header(call) && call.data.size() == area.page_bytes &&
         std::memcmp(get_tail(call.data).signature.data(), kUserSignature.data(), kUserSignature.size()) == 0;
}

ImageBounds bounds_of(const SwapShape& area) {
  return {.end_page = area.header_page + area.last_page + 1 + area.spare_pages,
          .swap_header_page = area.header_page,
          .page_bytes = area.page_bytes};
}

MemoryBlockDevice medium_after(const Story& story) {
  MemoryBlockDevice medium = story.before.clone();
  for (const LoggedCall& call : story.calls) {
    if (call.kind != LoggedCall::Kind::kWrite || !call.succeeded) continue;
    std::memcpy(medium.mutable_bytes(call.offset, call.data.size()).data(), call.data.data(),
                call.data.size());
  }
  return medium;
}

std::vector<std::string> stray_writes(const Story& story) {
  std::vector<std::string> strays;
  for (const LoggedCall& call : story.calls) {
    if (call.kind != LoggedCall::Kind::kWrite) continue;
    for (std::uint64_t at = call.offset; at < call.end(); at += kMinPageBytes) {
      const std::uint64_t page = at / story.area.page_bytes;
      if (page != story.area.header_page && !story.ours.contains(page)) {
        strays.push_back(fmt::format("page {} was written, which is not the story's", page));
      }
    }
  }
  return strays;
}

}  // namespace dormouse::test
