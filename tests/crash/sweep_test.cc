/// Power is cut after every call of every story, and the disk keeps what it likes of what was not flushed.
/// What is tried of a log follows from the seed; the log itself has its writes in the order in which the
/// threads came to them, and an image its random id, so the numbers differ a little from run to run.
#include "crash/sweep.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <iostream>

#include "crash/shapes.h"

namespace dormouse::test {
namespace {

using ::testing::IsEmpty;

constexpr SweepPlan kPlan;

/// Adds up what was tried, and holds every story to the same.
class Totals {
 public:
  void add(const Story& story) {
    SCOPED_TRACE(story.name);
    const SweepResult result = sweep(story, kPlan);
    EXPECT_EQ(result.bad, 0U);
    EXPECT_THAT(result.examples, IsEmpty());
    EXPECT_THAT(stray_writes(story), IsEmpty());
    std::cout << fmt::format("{:>7} states, {:>5} with a mark, {:>4} cuts: {}\n", result.states,
                             result.images, result.cuts, story.name);
    ++stories_;
    all_.cuts += result.cuts;
    all_.states += result.states;
    all_.images += result.images;
    all_.images_read += result.images_read;
  }
  void tell() const {
    std::cout << fmt::format(
        "power-cut states tried: {} ({} with a mark, {} different images read; {} cuts in {} stories; seed "
        "{})\n",
        all_.states, all_.images, all_.images_read, all_.cuts, stories_, kPlan.seed);
    ::testing::Test::RecordProperty("power_cut_states", std::to_string(all_.states));
    ::testing::Test::RecordProperty("power_cut_seed", std::to_string(kPlan.seed));
  }
  [[nodiscard]] const SweepResult& all() const { return all_; }

 private:
  SweepResult all_;
  std::uint64_t stories_ = 0;
};

/// Everything that may become of a suspend, and of what it leaves.
void add_suspends(const Shape& shape, Totals& totals) {
  const MemoryBlockDevice fresh = fresh_medium(shape);
  const Story saved = suspend_story(shape, fresh, {.name = "off"});
  totals.add(saved);
  totals.add(suspend_story(shape, fresh, {.name = "verified", .verify = true}));
  totals.add(suspend_story(shape, fresh, {.name = "does not go off", .stays_on = true}));
  totals.add(suspend_story(shape, fresh, {.name = "rehearsal", .method = ShutdownMethod::kNone}));
  totals.add(suspend_story(shape, fresh, {.name = "to RAM and back", .method = ShutdownMethod::kSuspend}));
  totals.add(suspend_story(shape, fresh, {.name = "stopped before the writing", .stop_at_question = 0}));
  totals.add(suspend_story(shape, fresh, {.name = "stopped before the mark", .stop_at_question = 1}));
  for (const std::uint64_t writes : {1U, 7U, 30U}) {
    totals.add(suspend_story(
        shape, fresh, {.name = fmt::format("stopped after {} writes", writes), .stop_after_writes = writes}));
  }
  totals.add(resume_story(shape, saved, {.name = "jumps"}));
  totals.add(resume_story(shape, saved, {.name = "stopped", .stop_at_question = 0}));
  totals.add(resume_story(shape, saved, {.name = "refused", .refused = true}));
  totals.add(discard_story(shape, saved));
}

void add_stores(const Shape& shape, Totals& totals) {
  const MemoryBlockDevice fresh = fresh_medium(shape);
  const Story saved = store_story(shape, fresh, {.name = "done"});
  totals.add(saved);
  totals.add(store_story(shape, fresh, {.name = "verified", .verify = true}));
  totals.add(store_story(shape, fresh, {.name = "stopped before the mark", .stop_at_question = 0}));
  totals.add(store_story(shape, fresh, {.name = "stopped after 9 writes", .stop_after_writes = 9}));
  totals.add(discard_story(shape, saved));
  const Story verified = verify_story(shape, saved);
  EXPECT_THAT(verified.calls, IsEmpty()) << "verifying leaves the image as it is";
}

/// `play(fault, &fired)` with every call, and every flush, of the device failing in turn, once and for ever.
template <class Play>
void add_faults(Totals& totals, Play play) {
  for (const bool for_ever : {false, true}) {
    for (const bool only_flushes : {false, true}) {
      // Call 0 reads the swap header, and without it there is no story.
      for (std::uint64_t call = only_flushes ? 0 : 1;; ++call) {
        const FaultPlan fault{.fail_at_call = call, .fail_for_ever = for_ever, .only_flushes = only_flushes};
        bool fired = false;
        const Story story = play(fault, &fired);
        if (!fired) break;
        totals.add(story);
      }
    }
  }
}

std::string fault_name(const char* what, const FaultPlan& fault) {
  return fmt::format("{} fails at {} {}{}", what, fault.only_flushes ? "flush" : "call", fault.fail_at_call,
                     fault.fail_for_ever ? ", for ever" : "");
}

void add_faulty_suspends(Totals& totals) {
  Shape shape = small_shape();
  shape.options.chunk_bytes = 8 * 4096;  // few writes, each of which fails
  const MemoryBlockDevice fresh = fresh_medium(shape);
  add_faults(totals, [&](const FaultPlan& fault, bool* fired) {
    return suspend_story(shape, fresh, {.name = fault_name("data", fault), .data_fault = fault}, fired);
  });
  for (const auto method : {ShutdownMethod::kShutdown, ShutdownMethod::kSuspend}) {
    add_faults(totals, [&](const FaultPlan& fault, bool* fired) {
      const Turns turns{.name = fault_name("header", fault),
                        .method = method,
                        .stays_on = true,
                        .verify = true,
                        .header_fault = fault};
      return suspend_story(shape, fresh, turns, fired);
    });
  }
  Shape full = shape;
  full.name = "too small an area";
  full.machine.swap_pages = 40;
  totals.add(suspend_story(full, fresh_medium(full), {.name = "full"}));
}

void add_faulty_stores(Totals& totals) {
  Shape shape = store_shapes().front();
  shape.machine.image_pages = 64;
  const MemoryBlockDevice fresh = fresh_medium(shape);
  add_faults(totals, [&](const FaultPlan& fault, bool* fired) {
    return store_story(shape, fresh, {.name = fault_name("data", fault), .data_fault = fault}, fired);
  });
  add_faults(totals, [&](const FaultPlan& fault, bool* fired) {
    return store_story(shape, fresh, {.name = fault_name("header", fault), .header_fault = fault}, fired);
  });
}

void add_faulty_resumes(Totals& totals) {
  const Shape shape = small_shape();
  const Story saved = suspend_story(shape, fresh_medium(shape), {.name = "off"});
  add_faults(totals, [&](const FaultPlan& fault, bool* fired) {
    return resume_story(shape, saved, {.name = fault_name("data", fault), .data_fault = fault}, fired);
  });
  add_faults(totals, [&](const FaultPlan& fault, bool* fired) {
    return resume_story(shape, saved, {.name = fault_name("header", fault), .header_fault = fault}, fired);
  });
  add_faults(totals,
             [&](const FaultPlan& fault, bool* fired) { return discard_story(shape, saved, fault, fired); });
  for (std::uint64_t call = 0;; ++call) {
    bool fired = false;
    const Story story = resume_story(
        shape, saved, {.name = fmt::format("kernel call {} fails", call), .failing_kernel_call = call},
        &fired);
    if (!fired) break;
    totals.add(story);
  }
}

/// A shorter image over what an older, longer one left; then what becomes of it.
void add_second_saves(Totals& totals) {
  for (Shape shape : {suspend_shapes()[1], small_shape()}) {
    const Story first = suspend_story(shape, fresh_medium(shape), {.name = "off"});
    const MemoryBlockDevice resumed = medium_after(resume_story(shape, first));
    shape.name += ", over an older image";
    shape.machine.image_pages /= 3;
    const Story second = suspend_story(shape, resumed, {.name = "off"});
    totals.add(second);
    totals.add(suspend_story(shape, resumed, {.name = "does not go off", .stays_on = true}));
    totals.add(suspend_story(shape, resumed, {.name = "stopped", .stop_at_question = 1}));
    totals.add(resume_story(shape, second, {.name = "jumps"}));
    totals.add(discard_story(shape, second));
  }
  for (Shape shape : store_shapes()) {
    const Story first = store_story(shape, fresh_medium(shape), {.name = "done"});
    const MemoryBlockDevice discarded = medium_after(discard_story(shape, first));
    shape.name += ", over an older image";
    shape.machine.image_pages /= 2;
    totals.add(store_story(shape, discarded, {.name = "done"}));
  }
}

/// Map pages that a story writes, and of them those that begin with extents of the page before.
struct MapPages {
  std::size_t all = 0;
  std::size_t spilt = 0;
};

MapPages map_pages(const Story& story) {
  MapPages pages;
  for (const LoggedCall& call : story.calls) {
    if (call.data.size() < kMinPageBytes || std::memcmp(call.data.data(), "DMSWAPMP", 8) != 0) continue;
    ++pages.all;
    if (get_integer(call.data, 64, 2) == 2) ++pages.spilt;
  }
  return pages;
}

TEST(PowerCut, StoriesHaveTheMapsThatTheirNamesSay) {
  std::size_t several = 0;
  std::size_t spilt = 0;
  const auto look = [&](const Story& story) {
    const MapPages pages = map_pages(story);
    EXPECT_GE(pages.all, story.name.contains("several map pages") ? 2U : 1U) << story.name;
    EXPECT_EQ(pages.spilt > 0, story.name.contains("spill over map pages")) << story.name;
    if (story.name.contains("one map page")) {
      EXPECT_EQ(pages.all, 1U) << story.name;
    }
    several += pages.all > 1 ? 1 : 0;
    spilt += pages.spilt;
  };
  for (const Shape& shape : suspend_shapes()) look(suspend_story(shape, fresh_medium(shape)));
  for (const Shape& shape : store_shapes()) look(store_story(shape, fresh_medium(shape)));
  EXPECT_GE(several, 3U);
  EXPECT_GE(spilt, 1U);
}

TEST(PowerCut, LeavesPlainSwapOrTheWholeImage) {
  Totals totals;
  for (const Shape& shape : suspend_shapes()) add_suspends(shape, totals);
  for (const Shape& shape : store_shapes()) add_stores(shape, totals);
  add_second_saves(totals);
  add_faulty_suspends(totals);
  add_faulty_stores(totals);
  add_faulty_resumes(totals);
  totals.tell();
  EXPECT_GE(totals.all().states, 20'000U);
  EXPECT_GE(totals.all().images, 2'000U) << "the states in which there is something to lose";
}

}  // namespace
}  // namespace dormouse::test
