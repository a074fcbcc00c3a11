/// What `resume --status` says of an area.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dormouse/image_reader.h"
#include "dormouse/swap_area.h"

namespace dormouse {

struct AreaStatus {
  std::string device;
  std::uint64_t offset_pages = 0;
  SwapSignature signature = SwapSignature::kPlain;
  std::optional<ImageInfo> image;  ///< only for an image of ours that can be read
  std::string foreign;             ///< what a user mark leads to if not to one of ours
  std::uint32_t attempts_allowed = 0;
  std::uint64_t now_unix_seconds = 0;
};

/// Whose, how old, how big, which settings; ends in a newline.
[[nodiscard]] std::string render_status_text(const AreaStatus& status);

/// One object, schema "dormouse-status/1"; keys as the man page lists them.
[[nodiscard]] std::string render_status_json(const AreaStatus& status);

}  // namespace dormouse
