#include "crash/sweep.h"

#include <fmt/format.h>

#include "crash/judge.h"
#include "crash/promise.h"

namespace dormouse::test {
namespace {

constexpr std::size_t kExamples = 3;

}  // namespace

SweepResult sweep(const Story& story, const SweepPlan& plan) {
  SweepResult result;
  CutDisk disk(story.before, {.start = DeviceOffset{story.header_offset()}, .length = story.area.page_bytes});
  Judge judge(story);
  Promise promise(story);
  NotePromise notes(story);
  for (std::size_t done = 0; done <= story.calls.size(); ++done) {
    const LoggedCall* call = done == 0 ? nullptr : &story.calls[done - 1];
    if (call != nullptr) {
      disk.take(*call);
      promise.take(*call);
      notes.take(*call);
    }
    // At a landmark the medium is what it was at the call before: looked at again, not counted again.
    const bool counts = call == nullptr || call->kind != LoggedCall::Kind::kLandmark;
    if (counts) ++result.cuts;
    for (const Arrival& arrival : disk.arrivals(plan.arrivals, plan.seed + done)) {
      disk.choose(arrival);
      const Left left = judge.judge(disk);
      if (counts) ++result.states;
      if (counts && left != Left::kPlain && left != Left::kTornHeader) ++result.images;
      const bool forgotten_note = left == Left::kImage && !notes.allows(disk);
      if (promise.allows(left) && !forgotten_note) continue;
      ++result.bad;
      ++result.found[left];
      if (result.examples.size() < kExamples) {
        result.examples.push_back(fmt::format(
            "cut after call {} of {}, {} unflushed, {}: {}{}", done, story.calls.size(), disk.unflushed(),
            arrival.text(), name(left), forgotten_note ? ", a flushed note forgotten" : ""));
      }
      if (result.bad >= plan.enough_bad) return result;
    }
    result.images_read = judge.images_read();
  }
  return result;
}

}  // namespace dormouse::test
