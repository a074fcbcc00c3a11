#include "cycle/save_plan.h"

#include <algorithm>

#include "base/codec_spec.h"
#include "codec/codec_ladder.h"

namespace dormouse {
namespace {

/// A foretold size may be wrong by so much.
constexpr double kMargin = 1.03;

std::uint64_t scaled(std::uint64_t pages, double by) {
  return static_cast<std::uint64_t>(static_cast<double>(pages) * by);
}

InlineText<40> codec_text(const SavePlan& plan) {
  InlineText<40> text;
  const CodecSpec& codec = plan.codec;
  if (plan.adaptive) {
    text.format("the strongest codecs");
  } else if (codec.level == codec_levels(codec.id).standard && codec.id != CodecId::kZstd) {
    text.format("{}", codec_name(codec.id));
  } else {
    text.format("{}:{}", codec_name(codec.id), codec.level);  // as --compress takes it
  }
  return text;
}

std::optional<NextTry> after_no_room(const SavePlan& plan, const RoomShortage& shortage,
                                     std::uint32_t page_bytes) {
  const auto ladder = codec_ladder();
  // A mix has already become as strong as it can.
  const std::size_t now = plan.adaptive ? ladder.size() - 1 : rung_of(plan.codec);
  const double needed = static_cast<double>(shortage.needed_pages) * kMargin;
  const double room = static_cast<double>(shortage.free_pages);
  NextTry next{
      .plan = {.codec = plan.codec, .size_cap_bytes = plan.size_cap_bytes, .foresee_shortage = false},
      .reason = {}};
  for (std::size_t i = now + 1; i < ladder.size(); ++i) {
    const double by = ladder[i].ratio / ladder[now].ratio;
    next.plan.codec = ladder[i].codec;
    if (needed * by > room) continue;
    next.reason.format(
        "the swap area is too small: about {} pages are needed with {}, {} are free. Trying once more "
        "with {}, which should need about {}",
        shortage.needed_pages, codec_text(plan).view(), shortage.free_pages, codec_text(next.plan).view(),
        scaled(shortage.needed_pages, by));
    return next;
  }
  // No codec alone makes it fit; what the kernel drops to make the image smaller is mostly cache.
  const double by = ladder.back().ratio / ladder[now].ratio;
  const double part = room / (needed * (now + 1 < ladder.size() ? by : 1.0));
  const std::uint64_t cap = scaled(shortage.image_pages * page_bytes, std::min(part, 1.0));
  next.plan.size_cap_bytes = cap - cap % page_bytes;
  // Never larger than before; what was as small as it can be stays so.
  if (plan.size_cap_bytes < next.plan.size_cap_bytes) next.plan.size_cap_bytes = 0;
  if (next.plan.codec == plan.codec && next.plan.size_cap_bytes == plan.size_cap_bytes) return std::nullopt;
  next.reason.format(
      "the swap area is too small: about {} pages are needed with {}, {} are free. Trying once more "
      "with {}{}an image of at most {} bytes",
      shortage.needed_pages, codec_text(plan).view(), shortage.free_pages,
      plan.adaptive ? "" : codec_text(next.plan).view(), plan.adaptive ? "" : " and ",
      next.plan.size_cap_bytes);
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
