/// The member `codecs` of the reports, documented in s2disk(8).
#pragma once

#include <nlohmann/json.hpp>

#include "dormouse/figures.h"

namespace dormouse {

/// An array of {codec, level, chunks}, weakest first, without those that packed nothing.
inline nlohmann::ordered_json codec_counts_json(const CodecCounts& counts) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& [codec, chunks] : counts) {
    if (chunks > 0)
      list.push_back({{"codec", codec_name(codec.id)}, {"level", codec.level}, {"chunks", chunks}});
  }
  return list;
}

}  // namespace dormouse
