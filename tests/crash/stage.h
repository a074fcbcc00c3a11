/// What every story is played on: a medium with two handles, and somebody who watches.
#pragma once

#include <string_view>

#include "dormouse/cycle_observer.h"
#include "dormouse/image_reader.h"
#include "dormouse/progress.h"

#include "crash/stories.h"
#include "support/write_log.h"

namespace dormouse::test {

/// The image goes through one handle, the swap header through the other, as in the tools.
struct Stage {
  Stage(const MemoryBlockDevice& before, const FaultPlan& data_fault, const FaultPlan& header_fault)
      : medium(before.clone()), faulty_data(medium, data_fault), faulty_header(medium, header_fault) {}

  [[nodiscard]] bool fault_fired() const { return faulty_data.fired() || faulty_header.fired(); }

  MemoryBlockDevice medium;
  WriteLog log;
  FaultBlockDevice faulty_data;
  FaultBlockDevice faulty_header;
  WriteLogDevice data{faulty_data, log, 0};
  WriteLogDevice header{faulty_header, log, 1};
};

/// The user's key, by what has reached the device: counted in writes, since time would be another one each
/// time.
class StoppingProgress final : public Progress {
 public:
  StoppingProgress(const WriteLog& log, std::uint64_t after_writes)
      : log_(log), after_writes_(after_writes) {}
  void begin(std::string_view, std::uint64_t) override {}
  void advance(std::uint64_t) override {}
  void end() override {}
  bool stop_requested() override { return log_.writes() >= after_writes_; }

 private:
  const WriteLog& log_;
  std::uint64_t after_writes_;
};

/// Turns what the cycles say into landmarks. `at_thaw` may be empty.
class StoryObserver final : public CycleObserver {
 public:
  StoryObserver(WriteLog& log, std::uint64_t stop_at_question, std::string_view at_thaw)
      : log_(log), stop_at_question_(stop_at_question), at_thaw_(at_thaw) {}
  void thawed() override {
    if (!at_thaw_.empty()) log_.pass(at_thaw_);
  }
  void step(std::string_view step) override {
    if (step == "power off") log_.pass(kGoesOff);
  }
  bool stop_requested() override { return questions_++ == stop_at_question_; }

 private:
  WriteLog& log_;
  std::uint64_t stop_at_question_;
  std::string_view at_thaw_;
  std::uint64_t questions_ = 0;
};

}  // namespace dormouse::test
