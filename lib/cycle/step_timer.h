/// Names the step a cycle is in and notes how long each took.
#pragma once

#include <chrono>
#include <string_view>

#include "dormouse/cycle_observer.h"

namespace dormouse {

class StepTimer {
 public:
  explicit StepTimer(CycleObserver& observer) : observer_(observer) {}
  /// Ends the step before, if any, and begins `name`.
  void begin(std::string_view name) {
    end();
    name_ = name;
    started_ = std::chrono::steady_clock::now();
    observer_.step(name);
  }
  void end() {
    if (name_.empty()) return;
    const auto took = std::chrono::steady_clock::now() - started_;
    log_.add(name_, static_cast<std::uint64_t>(std::chrono::nanoseconds(took).count()));
    name_ = {};
  }
  /// Forgets the step in progress: the clock has stood still in it.
  void drop() { name_ = {}; }
  [[nodiscard]] const PhaseLog& log() const { return log_; }

 private:
  CycleObserver& observer_;
  PhaseLog log_;
  std::string_view name_;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace dormouse
