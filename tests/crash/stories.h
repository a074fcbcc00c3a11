/// Whole runs of s2disk and resume, on a machine that does not exist, with every write and flush noted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dormouse/image_options.h"
#include "dormouse/shutdown_method.h"

#include "crash/story.h"
#include "support/fake_snapshot_device.h"
#include "support/fault_block_device.h"

namespace dormouse::test {

/// Machine, area and settings; the area is that of the machine.
struct Shape {
  std::string name;
  FakeMachine machine = {};
  ImageOptions options = {};
  std::vector<std::uint32_t> bad_pages = {};
  std::uint64_t spare_pages = 0;  ///< of the device, behind the area
  /// File mode: pages [first, end) in seeded runs of at most so many; 0: the free layout.
  std::uint64_t longest_run = 0;

  [[nodiscard]] SwapShape area() const;
};

/// What happens on the way.
struct Turns {
  std::string name;
  ShutdownMethod method = ShutdownMethod::kShutdown;
  bool stays_on = false;  ///< powering off fails
  bool verify = false;
  std::uint64_t stop_at_question = ~std::uint64_t{0};
  std::uint64_t stop_after_writes = ~std::uint64_t{0};
  FaultPlan data_fault = {};    ///< of the handle that the image goes through
  FaultPlan header_fault = {};  ///< of the handle that the mark goes through
};

/// An area that was never used.
MemoryBlockDevice fresh_medium(const Shape& shape);

/// s2disk: run_suspend(). `fault_fired`: whether a planned fault was met.
Story suspend_story(const Shape& shape, const MemoryBlockDevice& before, const Turns& turns = {},
                    bool* fault_fired = nullptr);

/// s2disk --from: the image is written and marked, as suspend/store_file.cc does it.
Story store_story(const Shape& shape, const MemoryBlockDevice& before, const Turns& turns = {},
                  bool* fault_fired = nullptr);

struct ResumeTurns {
  std::string name;
  bool refused = false;  ///< the kernel refuses the jump
  std::uint64_t stop_at_question = ~std::uint64_t{0};
  std::uint64_t failing_kernel_call = ~std::uint64_t{0};
  FaultPlan data_fault = {};
  FaultPlan header_fault = {};
};

/// resume: run_resume() on what `saved` left.
Story resume_story(const Shape& shape, const Story& saved, const ResumeTurns& turns = {},
                   bool* fault_fired = nullptr);

/// resume --discard, as resume/image_tools.cc does it.
Story discard_story(const Shape& shape, const Story& saved, const FaultPlan& fault = {},
                    bool* fault_fired = nullptr);

/// resume --verify, the same way.
Story verify_story(const Shape& shape, const Story& saved);

}  // namespace dormouse::test
