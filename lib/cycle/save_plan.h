/// What to try next when a suspend failed for want of room or memory: judgement, without any effect of its
/// own.
#pragma once

#include <cstdint>
#include <optional>

#include "dormouse/codec.h"
#include "dormouse/error.h"
#include "dormouse/image_writer.h"

namespace dormouse {

/// The two things about an image that a second try can change.
struct SavePlan {
  bool adaptive = false;  ///< a codec for each chunk; `codec` is then not looked at
  CodecSpec codec{};
  std::uint64_t size_cap_bytes = 0;
  bool foresee_shortage = true;  ///< false in the last try, which goes on to the end
  friend bool operator==(const SavePlan&, const SavePlan&) = default;
};

/// What to do after a failure, and how to say it.
struct NextTry {
  SavePlan plan;
  InlineText<400> reason;  ///< a sentence with the numbers, for the user
};

/// Tries in all: one more after the swap area was too small, two more after the kernel found no memory for
/// its copy.
inline constexpr unsigned kMaxSaveTries = 3;

/// What to do after try number `tries_done` (1, 2 ...) of `plan` failed with `error`, nothing if it is to be
/// the last.
///
/// kNoSpace with a shortage: the weakest stronger codec that should make the image fit, or the strongest one
/// and a smaller image. kNoMemory of SNAPSHOT_CREATE_IMAGE: an image half as large, then as small as it can
/// be. `page_bytes`: of the swap area. Source of the codecs' ratios: design section 7 and bench/README.md.
std::optional<NextTry> next_try(const SavePlan& plan, const Error& error,
                                const std::optional<RoomShortage>& shortage, std::uint32_t page_bytes,
                                unsigned tries_done);

}  // namespace dormouse
