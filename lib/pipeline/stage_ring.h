/// A bounded ring of numbered slots that pass through stages, each run by threads of its own.
///
///     produce --> [slot 0 | 1 | ... | N-1] --> stage 0 --> stage 1 --> ... --> slot free again
///
/// Job n lives in slot n % N from its production until its last stage is done. An in-order stage takes the
/// jobs by number, one at a time; any other takes whatever is ready, oldest first, on all its threads. A
/// stage that only begins something, a transfer, say, leaves the job where it is until somebody calls
/// end_of(). Every side can stop every other: the first error ends the run on every thread. The ring knows
/// numbers, not images; what a slot holds belongs to the caller. Memory is fixed when the ring is made:
/// threads' stacks and one small record a slot.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "dormouse/error.h"

#include "base/prepared_thread.h"

namespace dormouse {

/// What is done at each step. Calls for one slot never overlap and see each other's writes.
class StageWork {
 public:
  virtual ~StageWork() = default;
  /// Fills `slot` with job `number`; false once there is no more. Calling thread of run().
  virtual Result<bool> produce(std::size_t slot, std::uint64_t number) = 0;
  /// Does stage `stage` for the job in `slot`, on worker `worker` of that stage.
  virtual Result<void> work(unsigned stage, std::size_t slot, std::uint64_t number, unsigned worker) = 0;
  /// Called often on the calling thread of run(), also while it waits; an error stops the run.
  virtual Result<void> tick() = 0;
  /// The run has failed: whatever work() waits for outside of the ring must come to an end. From any thread,
  /// with the ring locked.
  virtual void failed(const Error& /*error*/) {}
};

class StageRing {
 public:
  struct Stage {
    unsigned threads = 1;
    bool in_order = false;  ///< requires threads == 1
    bool begins = false;    ///< work() only begins; end_of() is called once for each job, from any thread
  };

  /// Allocates and touches everything. Requires: slots >= 1, at least one stage.
  static Result<StageRing> prepare(std::size_t slots, std::vector<Stage> stages);
  StageRing(StageRing&&) noexcept;
  ~StageRing();

  /// Runs until all jobs have passed all stages, or returns the first error. All threads it started have
  /// ended when it returns. May be called again. Allocates nothing.
  Result<void> run(StageWork& work);

  /// The job in `slot` is through the stage that only began it, or that failed. Never after run() has
  /// returned, so run() waits for all that was begun.
  void end_of(std::size_t slot, const Result<void>& how);

  [[nodiscard]] std::size_t slots() const { return slot_count_; }
  /// Bytes of the stacks, for the stated memory.
  [[nodiscard]] std::size_t stack_bytes() const;

 private:
  struct Slot {
    std::uint64_t number = 0;
    unsigned stage = 0;  ///< the stage this job waits for or is in; past the last: done
    bool in_work = false;
    bool occupied = false;
  };
  struct Shared;  // what the threads share: a mutex cannot move
  struct Seat;    // one thread's place: its stage and worker number

  StageRing(std::size_t slots, std::vector<Stage> stages);
  static void serve(void* seat);
  void serve_stage(unsigned stage, unsigned worker);
  std::optional<std::size_t> ready_slot(unsigned stage);
  Result<void> produce_all(StageWork& work);
  Result<void> wait_for(StageWork& work, std::unique_lock<std::mutex>& lock,
                        bool (StageRing::*condition)() const);
  bool next_slot_free() const;
  bool all_done() const;
  void pass(Slot& slot);
  void abort(const Error& error);

  std::size_t slot_count_;
  std::vector<Stage> stages_;
  std::unique_ptr<Shared> shared_;
};

}  // namespace dormouse
