/// Cuts the power at every point of a story.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "crash/story.h"
#include "support/cut_disk.h"

namespace dormouse::test {

struct SweepResult {
  std::uint64_t cuts = 0;
  std::uint64_t states = 0;                  ///< tried: what may be left at one cut
  std::uint64_t images = 0;                  ///< of them with a mark
  std::uint64_t images_read = 0;             ///< of them different ones
  std::uint64_t bad = 0;                     ///< states that may not be
  std::map<Left, std::uint64_t> found = {};  ///< what the bad states were
  std::vector<std::string> examples = {};    ///< the first few of them, in words
};

struct SweepPlan {
  ArrivalPlan arrivals = {};
  std::uint64_t seed = 2006;
  std::uint64_t enough_bad = 100;  ///< the sweep ends when so many were found
};

/// After each call of the story: every arrival of what is not flushed leaves plain swap or the whole image,
/// and that one of the two that the story has promised by then.
SweepResult sweep(const Story& story, const SweepPlan& plan = {});

}  // namespace dormouse::test
