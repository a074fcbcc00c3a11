#include "cycle/save_plan.h"

#include <algorithm>
#include <array>

namespace dormouse {
namespace {

/// What remains of a desktop's memory, from the weakest to the strongest; above zstd 9 time grows out of all
/// proportion.
struct Strength {
  CodecSpec codec;
  double ratio;
};
constexpr std::array kStrengths = std::to_array<Strength>({
    {{.id = CodecId::kStored, .level = 0}, 1.0},
    {{.id = CodecId::kLzf, .level = 0}, 0.48},
    {{.id = CodecId::kLz4, .level = 1}, 0.47},
    {{.id = CodecId::kZstd, .level = -1}, 0.41},
    {{.id = CodecId::kZstd, .level = 1}, 0.37},
    {{.id = CodecId::kZstd, .level = 3}, 0.345},
    {{.id = CodecId::kZstd, .level = 9}, 0.31},
});

/// A foretold size may be wrong by so much.
constexpr double kMargin = 1.03;

/// The place of a codec in the table; a level between two rows counts as the weaker one.
std::size_t strength_of(const CodecSpec& codec) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < kStrengths.size(); ++i) {
    const CodecSpec& row = kStrengths[i].codec;
    // LZ4's level is an acceleration: a higher one is weaker, and no row is weaker than its only one.
    if (row.id == codec.id && (row.id != CodecId::kZstd || row.level <= codec.level)) best = i;
  }
  // zstd weaker than its weakest row.
  if (best == 0 && codec.id == CodecId::kZstd) best = 2;
  return best;
}

std::uint64_t scaled(std::uint64_t pages, double by) {
  return static_cast<std::uint64_t>(static_cast<double>(pages) * by);
}

InlineText<40> codec_text(const CodecSpec& codec) {
  InlineText<40> text;
  if (codec.id == CodecId::kZstd) {
    text.format("zstd level {}", codec.level);
  } else {
    text.format("{}", codec_name(codec.id));
  }
  return text;
}

std::optional<NextTry> after_no_room(const SavePlan& plan, const RoomShortage& shortage,
                                     std::uint32_t page_bytes) {
  const std::size_t now = strength_of(plan.codec);
  const double needed = static_cast<double>(shortage.needed_pages) * kMargin;
  const double room = static_cast<double>(shortage.free_pages);
  NextTry next{
      .plan = {.codec = plan.codec, .size_cap_bytes = plan.size_cap_bytes, .foresee_shortage = false},
      .reason = {}};
  for (std::size_t i = now + 1; i < kStrengths.size(); ++i) {
    const double by = kStrengths[i].ratio / kStrengths[now].ratio;
    next.plan.codec = kStrengths[i].codec;
    if (needed * by > room) continue;
    next.reason.format(
        "the swap area is too small: about {} pages are needed with {}, {} are free. Trying once more "
        "with {}, which should need about {}",
        shortage.needed_pages, codec_text(plan.codec).view(), shortage.free_pages,
        codec_text(next.plan.codec).view(), scaled(shortage.needed_pages, by));
    return next;
  }
  // No codec alone makes it fit; what the kernel drops to make the image smaller is mostly cache.
  const double by = kStrengths.back().ratio / kStrengths[now].ratio;
  const double part = room / (needed * (now + 1 < kStrengths.size() ? by : 1.0));
  const std::uint64_t cap = scaled(shortage.image_pages * page_bytes, std::min(part, 1.0));
  next.plan.size_cap_bytes = cap - cap % page_bytes;
  // Never larger than before; what was as small as it can be stays so.
  if (plan.size_cap_bytes < next.plan.size_cap_bytes) next.plan.size_cap_bytes = 0;
  if (next.plan.codec == plan.codec && next.plan.size_cap_bytes == plan.size_cap_bytes) return std::nullopt;
  next.reason.format(
      "the swap area is too small: about {} pages are needed with {}, {} are free. Trying once more "
      "with {} and an image of at most {} bytes",
      shortage.needed_pages, codec_text(plan.codec).view(), shortage.free_pages,
      codec_text(next.plan.codec).view(), next.plan.size_cap_bytes);
  return next;
}

std::optional<NextTry> after_no_memory(const SavePlan& plan, unsigned tries_done) {
  if (plan.size_cap_bytes == 0 || tries_done >= kMaxSaveTries) return std::nullopt;
  NextTry next{.plan = plan, .reason = {}};
  next.plan.size_cap_bytes = tries_done == 1 ? plan.size_cap_bytes / 2 : 0;
  next.reason.format(
      "the kernel found no memory for a snapshot of up to {} bytes. Trying again with {}{} "
      "(try {} of at most {})",
      plan.size_cap_bytes, next.plan.size_cap_bytes,
      next.plan.size_cap_bytes == 0 ? ", which is as small as it can be" : "", tries_done + 1, kMaxSaveTries);
  return next;
}

}  // namespace

std::optional<NextTry> next_try(const SavePlan& plan, const Error& error,
                                const std::optional<RoomShortage>& shortage, std::uint32_t page_bytes,
                                unsigned tries_done) {
  if (error.code == Errc::kNoSpace && shortage && plan.foresee_shortage)
    return after_no_room(plan, *shortage, page_bytes);
  if (error.code == Errc::kNoMemory && error.operation == "SNAPSHOT_CREATE_IMAGE")
    return after_no_memory(plan, tries_done);
  return std::nullopt;
}

}  // namespace dormouse
