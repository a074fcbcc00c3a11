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

InlineText<40> plan_text(const SavePlan& plan) {
  if (!plan.adaptive) return codec_text(plan.codec);
  InlineText<40> text;
  text.format("auto");
  return text;
}

/// Stored by unpacked, of usual memory, with what the plan packed with so far.
double ratio_of(const SavePlan& plan, const RoomShortage& shortage) {
  if (plan.adaptive && shortage.usual_ratio > 0) return shortage.usual_ratio;
  return codec_ladder()[plan.adaptive ? 0 : rung_of(plan.codec)].ratio;
}

std::optional<NextTry> after_no_room(const SavePlan& plan, const RoomShortage& shortage,
                                     std::uint32_t page_bytes) {
  const auto ladder = codec_ladder();
  const double now_ratio = ratio_of(plan, shortage);
  const double needed = static_cast<double>(shortage.needed_pages) * kMargin;
  const double room = static_cast<double>(shortage.free_pages);
  NextTry next{
      .plan = {.codec = plan.codec, .size_cap_bytes = plan.size_cap_bytes, .foresee_shortage = false},
      .reason = {}};
  for (const CodecRung& rung : ladder) {
    // A mix that did not fit has tried to become stronger, but began too late or too weak.
    if (rung.ratio >= now_ratio || (!plan.adaptive && rung_of(rung.codec) <= rung_of(plan.codec))) continue;
    const double by = rung.ratio / now_ratio;
    next.plan.codec = rung.codec;
    if (needed * by > room) continue;
    next.reason.format(
        "the swap area is too small: about {} pages are needed with {}, {} are free. Trying once more "
        "with {}, which should need about {}",
        shortage.needed_pages, plan_text(plan).view(), shortage.free_pages, plan_text(next.plan).view(),
        scaled(shortage.needed_pages, by));
    return next;
  }
  // No codec alone makes it fit; what the kernel drops to make the image smaller is mostly cache.
  if (plan.adaptive) next.plan.codec = ladder.back().codec;
  const double by = std::min(1.0, ladder.back().ratio / now_ratio);
  const double part = room / (needed * by);
  const std::uint64_t cap = scaled(shortage.image_pages * page_bytes, std::min(part, 1.0));
  next.plan.size_cap_bytes = cap - cap % page_bytes;
  // Never larger than before; what was as small as it can be stays so.
  if (plan.size_cap_bytes < next.plan.size_cap_bytes) next.plan.size_cap_bytes = 0;
  if (!plan.adaptive && next.plan.codec == plan.codec && next.plan.size_cap_bytes == plan.size_cap_bytes)
    return std::nullopt;
  next.reason.format(
      "the swap area is too small: about {} pages are needed with {}, {} are free. Trying once more "
      "with {} and an image of at most {} bytes",
      shortage.needed_pages, plan_text(plan).view(), shortage.free_pages, plan_text(next.plan).view(),
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
