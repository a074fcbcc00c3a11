/// The sweep itself is tried: with one flush or one order of calls taken away it has to find bad states.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <utility>

#include "crash/promise.h"
#include "crash/shapes.h"
#include "crash/sweep.h"
#include "format/swap_header.h"

namespace dormouse::test {
namespace {

using ::testing::IsSupersetOf;

/// What a flush makes durable, by the most important of its handle's writes since the one before.
enum class Covers : std::uint8_t {
  kMark,
  kClear,
  kImageHeader,
  kNote,  ///< in an image whose mark is on
  // What is not missed:
  kBlank,       ///< the page of the image header, before the freeze
  kImageData,   ///< chunks and map
  kClosedNote,  ///< in an image whose mark is off, and stays off until the next flush of the handle
  kNothing,
};

std::string_view name(Covers covers) {
  constexpr std::string_view kNames[] = {"the mark",
                                         "the clearing of the mark",
                                         "the image header",
                                         "the resume note",
                                         "the blanked image header page",
                                         "chunks and map",
                                         "the resume note behind a cleared mark",
                                         "nothing"};
  return kNames[std::to_underlying(covers)];
}

/// Why a flush may be lost without harm to what a power cut leaves:
/// * kBlank: nothing leads to that page before the mark, and before there is one the image header is written
///   over it and flushed. The blank page is for the system that wakes up; where no power was cut, that one
///   reads it whether it was flushed or not. What the flush does find is a disk that cannot flush, before
///   anything is frozen.
/// * kImageData: nothing leads to chunks and map before the mark, and the flush of the image header, through
/// the
///   same handle, covers them as well. It comes first because the time it takes is noted in that header.
/// * kClosedNote: no mark leads to that image before the same handle is flushed again. Such a note is for the
///   system that wakes up, and for a boot that finds the mark all the same, on a disk that lost a flushed
///   write: no disk of this test.
bool is_missed(Covers covers) {
  return covers < Covers::kBlank;
}

std::size_t find_call(const Story& story, const std::function<bool(const LoggedCall&)>& wanted,
                      std::size_t from = 0) {
  const auto found =
      std::find_if(story.calls.begin() + static_cast<std::ptrdiff_t>(from), story.calls.end(), wanted);
  if (found == story.calls.end()) throw std::runtime_error("the story has no such call");
  return static_cast<std::size_t>(found - story.calls.begin());
}

std::size_t find_landmark(const Story& story, std::string_view landmark) {
  return find_call(story, [&](const LoggedCall& call) { return call.landmark == landmark; });
}

std::size_t find_mark(const Story& story) {
  return find_call(story, [&](const LoggedCall& call) { return story.marks(call); });
}

std::size_t find_clear(const Story& story) {
  return find_call(story,
                   [&](const LoggedCall& call) { return story.on_header(call) && !story.marks(call); });
}

/// The image header proper, not the blank page before it.
std::size_t find_image_header(const Story& story) {
  return find_call(story, [](const LoggedCall& call) {
    return call.kind == LoggedCall::Kind::kWrite && std::memcmp(call.data.data(), "DORMOUSE", 8) == 0;
  });
}

std::size_t find_flush(const Story& story, std::size_t of_write) {
  const unsigned handle = story.calls[of_write].handle;
  return find_call(
      story,
      [&](const LoggedCall& call) { return call.kind == LoggedCall::Kind::kFlush && call.handle == handle; },
      of_write);
}

/// Call `from` becomes call `to`; those between move up or down.
void move_call(Story& story, std::size_t from, std::size_t to) {
  const auto at = [&](std::size_t index) { return story.calls.begin() + static_cast<std::ptrdiff_t>(index); };
  if (from < to) {
    std::rotate(at(from), at(from + 1), at(to + 1));
  } else {
    std::rotate(at(to), at(from), at(from + 1));
  }
}

Covers covered_by(const Story& story, std::size_t flush) {
  const std::uint64_t image_header = [&] {
    if (story.begins == Left::kImage) return std::uint64_t{0};
    return story.calls[find_image_header(story)].offset;
  }();
  Promise promise(story);
  const NotePromise notes(story);
  Covers covers = Covers::kNothing;
  for (std::size_t i = 0; i < flush; ++i) {
    const LoggedCall& call = story.calls[i];
    promise.take(call);
    if (call.kind == LoggedCall::Kind::kLandmark || call.handle != story.calls[flush].handle) continue;
    Covers covered = Covers::kImageData;
    if (call.kind == LoggedCall::Kind::kFlush) {
      covers = Covers::kNothing;
      continue;
    }
    if (story.on_header(call)) {
      covered = story.marks(call) ? Covers::kMark : Covers::kClear;
    } else if (notes.is_note(call)) {
      covered = Covers::kNote;
    } else if (call.offset == image_header) {
      covered = i == find_image_header(story) ? Covers::kImageHeader : Covers::kBlank;
    }
    covers = std::min(covers, covered);
  }
  if (covers != Covers::kNote) return covers;
  for (std::size_t i = flush; i < story.calls.size(); ++i) {
    const LoggedCall& call = story.calls[i];
    promise.take(call);
    if (promise.allows_image()) return Covers::kNote;
    const bool again = i > flush && call.kind == LoggedCall::Kind::kFlush;
    if (again && call.handle == story.calls[flush].handle) break;
  }
  return Covers::kClosedNote;
}

/// Loses each flush in turn. Returns what the flushes were for.
std::vector<Covers> lose_each_flush(Story& story) {
  SCOPED_TRACE(story.name);
  EXPECT_EQ(sweep(story).bad, 0U);
  std::vector<Covers> all;
  for (std::size_t i = 0; i < story.calls.size(); ++i) {
    if (story.calls[i].kind != LoggedCall::Kind::kFlush) continue;
    const Covers covers = covered_by(story, i);
    SCOPED_TRACE(fmt::format("call {}: the flush of {}", i, name(covers)));
    story.calls[i].forgotten = true;
    const SweepResult result = sweep(story);
    story.calls[i].forgotten = false;
    std::cout << fmt::format("{}: without the flush of {}: {}\n", story.name, name(covers),
                             result.bad > 0 ? result.examples.front() : "not missed");
    if (is_missed(covers)) {
      EXPECT_GT(result.bad, 0U);
    } else {
      EXPECT_EQ(result.bad, 0U) << "it matters after all: say so here";
    }
    all.push_back(covers);
  }
  return all;
}

Story saved_story() {
  const Shape shape = small_shape();
  return suspend_story(shape, fresh_medium(shape), {.name = "off"});
}

/// An image over a header page that still leads to an older image, whole, in pages that are bad by now.
Story store_beside_older_image() {
  Shape shape{.name = "beside an older image",
              .machine = {.image_pages = 48, .swap_pages = 200},
              .options = {.codec = {.id = CodecId::kLz4, .level = 1}, .chunk_bytes = 4 * 4096}};
  const Story older = store_story(shape, fresh_medium(shape), {.name = "older"});
  MemoryBlockDevice medium = medium_after(discard_story(shape, older));
  for (const std::uint64_t page : older.ours) {
    if (page != 1) shape.bad_pages.push_back(static_cast<std::uint32_t>(page));
  }
  shape.machine.image_pages = 30;
  const auto header = make_swap_page(shape.area());
  std::ranges::copy(header, medium.mutable_bytes(0, header.size()).begin());
  return store_story(shape, medium, {.name = "newer"});
}

TEST(PowerCutTeeth, SavingMissesTheFlushesOfImageHeaderAndMark) {
  const Shape shape = small_shape();
  Story over_older = [&] {
    const MemoryBlockDevice resumed = medium_after(resume_story(shape, saved_story()));
    Shape shorter = shape;
    shorter.name = "over an older image";
    shorter.machine.image_pages /= 2;
    return suspend_story(shorter, resumed, {.name = "off"});
  }();
  Story saved = saved_story();
  Story verified = suspend_story(shape, fresh_medium(shape), {.name = "verified", .verify = true});
  Story stored = store_beside_older_image();
  for (Story* story : {&saved, &verified, &over_older, &stored}) {
    EXPECT_THAT(lose_each_flush(*story), IsSupersetOf({Covers::kImageHeader, Covers::kMark})) << story->name;
  }
}

TEST(PowerCutTeeth, ComingBackMissesTheFlushOfTheClearing) {
  const Shape shape = small_shape();
  const MemoryBlockDevice fresh = fresh_medium(shape);
  Story to_ram = suspend_story(shape, fresh, {.name = "to RAM", .method = ShutdownMethod::kSuspend});
  Story stays_on = suspend_story(shape, fresh, {.name = "does not go off", .stays_on = true});
  Story discarded = discard_story(shape, saved_story());
  EXPECT_THAT(lose_each_flush(to_ram), IsSupersetOf({Covers::kImageHeader, Covers::kMark, Covers::kClear}));
  EXPECT_THAT(lose_each_flush(stays_on), IsSupersetOf({Covers::kImageHeader, Covers::kMark, Covers::kClear}));
  EXPECT_THAT(lose_each_flush(discarded), IsSupersetOf({Covers::kClear}));
}

TEST(PowerCutTeeth, ResumingMissesTheFlushesOfNoteAndClearing) {
  const Shape shape = small_shape();
  Story resumed = resume_story(shape, saved_story(), {.name = "jumps"});
  Story refused = resume_story(shape, saved_story(), {.name = "refused", .refused = true});
  EXPECT_THAT(lose_each_flush(resumed), IsSupersetOf({Covers::kNote, Covers::kClear}));
  EXPECT_THAT(lose_each_flush(refused), IsSupersetOf({Covers::kNote, Covers::kClear}));
}

TEST(PowerCutTeeth, EveryKindOfBadStateIsMet) {
  const auto found_without_header_flush = [](Story story) {
    story.calls[find_flush(story, find_image_header(story))].forgotten = true;
    return sweep(story, {.enough_bad = 10'000}).found;
  };
  const auto over_blank = found_without_header_flush(saved_story());
  EXPECT_TRUE(over_blank.contains(Left::kNoImage));
  EXPECT_TRUE(over_blank.contains(Left::kDamaged)) << "a torn image header";
  EXPECT_TRUE(found_without_header_flush(store_beside_older_image()).contains(Left::kOtherImage));

  Story wrong_header = saved_story();
  LoggedCall& mark = wrong_header.calls[find_mark(wrong_header)];
  mark.data[2048] ^= std::byte{1};
  EXPECT_TRUE(sweep(wrong_header).found.contains(Left::kTornHeader));

  Story wrong_stream = saved_story();
  wrong_stream.stream.back() ^= std::byte{1};
  EXPECT_TRUE(sweep(wrong_stream).found.contains(Left::kOtherImage));
}

struct Disorder {
  const char* what;
  std::function<Story()> story;
  std::function<void(Story&)> disturb;
};

Story resumed_story() {
  return resume_story(small_shape(), saved_story(), {.name = "jumps"});
}
Story to_ram_story() {
  return suspend_story(small_shape(), fresh_medium(small_shape()),
                       {.name = "to RAM", .method = ShutdownMethod::kSuspend});
}
Story discarded_story() {
  return discard_story(small_shape(), saved_story());
}

TEST(PowerCutTeeth, EveryOrderIsMissed) {
  const auto landmark_before = [](std::string_view landmark, auto find) {
    return [landmark, find](Story& story) { move_call(story, find_landmark(story, landmark), find(story)); };
  };
  const auto clears_flush = [](const Story& story) { return find_flush(story, find_clear(story)); };
  const auto marks_flush = [](const Story& story) { return find_flush(story, find_mark(story)); };
  const std::vector<Disorder> disorders = {
      {"the mark is written before the image header", saved_story,
       [](Story& story) { move_call(story, find_mark(story), find_image_header(story)); }},
      {"the mark is written and flushed before the image header", saved_story,
       [&](Story& story) {
         const std::size_t image_header = find_image_header(story);
         move_call(story, marks_flush(story), image_header);
         move_call(story, find_mark(story), image_header);
       }},
      {"the mark is written before the image", saved_story,
       [](Story& story) { move_call(story, find_mark(story), 0); }},
      {"the mark is written before the image header is flushed", saved_story,
       [](Story& story) { move_call(story, find_mark(story), find_flush(story, find_image_header(story))); }},
      {"the mark is flushed before the image header is", saved_story,
       [&](Story& story) {
         move_call(story, find_flush(story, find_image_header(story)), marks_flush(story));
       }},
      {"the last chunk or map page is written behind the mark", saved_story,
       [&](Story& story) { move_call(story, find_image_header(story) - 2, marks_flush(story)); }},
      {"the machine goes off before the mark is flushed", saved_story,
       landmark_before(kGoesOff, marks_flush)},
      {"the machine goes off before the mark is written", saved_story, landmark_before(kGoesOff, find_mark)},
      {"the jump comes before the clearing is flushed", resumed_story, landmark_before(kJumps, clears_flush)},
      {"the jump comes before the clearing", resumed_story, landmark_before(kJumps, find_clear)},
      {"user space runs before the clearing is flushed", to_ram_story,
       landmark_before(kRunsOn, clears_flush)},
      {"user space runs before the clearing", to_ram_story, landmark_before(kRunsOn, find_clear)},
      {"the mark is never cleared", to_ram_story,
       [](Story& story) {
         const std::size_t clear = find_clear(story);
         story.calls.erase(story.calls.begin() + static_cast<std::ptrdiff_t>(clear));
       }},
      {"discarding is done before the clearing is flushed", discarded_story,
       landmark_before(kRunsOn, clears_flush)},
  };
  for (const Disorder& disorder : disorders) {
    SCOPED_TRACE(disorder.what);
    Story story = disorder.story();
    disorder.disturb(story);
    const SweepResult result = sweep(story);
    EXPECT_GT(result.bad, 0U);
    std::cout << fmt::format("{}: {}\n", disorder.what,
                             result.bad > 0 ? result.examples.front() : "not missed");
  }
}

TEST(PowerCutTeeth, AWriteToAPageOfOthersIsSeen) {
  Story story = saved_story();
  EXPECT_TRUE(stray_writes(story).empty());
  std::uint64_t others = 1;
  while (story.ours.contains(others)) ++others;
  story.calls[find_image_header(story)].offset = others * story.area.page_bytes;
  EXPECT_FALSE(stray_writes(story).empty());
}

}  // namespace
}  // namespace dormouse::test
