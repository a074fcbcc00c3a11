/// The image writer as a model: a source, processors, a device, and a ring of slots between them, event by
/// event. Chunks are placed in order, so a slow one holds up those behind it. Time is a number here, so the
/// outcome is the same on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "codec/codec_ladder.h"
#include "support/page_patterns.h"

namespace dormouse::test {

struct PipelineModel {
  double device_rate = 1100;  ///< MB/s
  std::size_t slots = 18;
  unsigned cores = 2;
  double source_rate = 3000;
  unsigned chunks = 3600;
  /// MB/s of one core for each rung, measured (design section 7; what is not there lies between).
  std::array<double, 8> pack_rates = {6000, 1050, 800, 640, 530, 280, 130, 70};

  /// MB/s of the image, with the rung of each chunk chosen by the count of those that the device has in its
  /// hands.
  double run(const std::function<std::size_t(std::size_t in_flight)>& choose) const;
};

}  // namespace dormouse::test
