#include "report/figures_text.h"

#include <fmt/format.h>

#include "base/codec_spec.h"

namespace dormouse {

std::string codec_counts_text(const CodecCounts& counts) {
  std::string text;
  for (const auto& [codec, chunks] : counts) {
    if (chunks > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", codec_text(codec).view(), chunks);
  }
  return text;
}

}  // namespace dormouse
