/// The ring of stages: order, bounds, and that every side can stop every other. A test that hangs here is a
/// failure; the test's time limit (ctest) ends it. Nothing sleeps: threads meet at gates.
#include "pipeline/stage_ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace dormouse::test {
namespace {

using Stage = StageRing::Stage;

/// Counts and checks everything; fails at one chosen call.
class CheckingWork final : public StageWork {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  static constexpr unsigned kProduce = 1000;
  static constexpr unsigned kTick = 1001;

  CheckingWork(std::uint64_t jobs, std::size_t slots, std::vector<Stage> stages)
      : jobs_(jobs), stages_(std::move(stages)), slots_(slots), next_(stages_.size()), done_(stages_.size()) {
    for (auto& slot : slots_) slot.stage = stages_.size();
  }

  void fail_at(unsigned stage, std::uint64_t number) {
    failing_stage_ = stage;
    failing_number_ = number;
  }

  Result<bool> produce(std::size_t slot, std::uint64_t number) override {
    EXPECT_EQ(slot, number % slots_.size());
    EXPECT_EQ(number, produced_++) << "jobs are produced by number";
    if (failing_stage_ == kProduce && failing_number_ == number) return fail(Errc::kIo, "produce").at(number);
    if (number == jobs_) return false;
    EXPECT_EQ(slots_[slot].stage, stages_.size()) << "a slot is used again before its job is done";
    slots_[slot] = {.number = number, .stage = 0};
    return true;
  }
  Result<void> work(unsigned stage, std::size_t slot, std::uint64_t number, unsigned worker) override {
    EXPECT_LT(worker, stages_[stage].threads);
    EXPECT_EQ(slots_[slot].number, number);  // no lock: the ring must order the writes (thread sanitizer)
    EXPECT_EQ(slots_[slot].stage, stage);
    if (stages_[stage].in_order) {
      EXPECT_EQ(next_[stage]++, number) << "stage " << stage << " is out of order";
    }
    if (failing_stage_ == stage && failing_number_ == number) return fail(Errc::kCorrupt, "work").at(number);
    slots_[slot].stage = stage + 1;
    ++done_[stage];
    return {};
  }
  Result<void> tick() override {
    EXPECT_EQ(std::this_thread::get_id(), caller_) << "ticks belong to the calling thread";
    if (failing_stage_ == kTick && ticks_++ == failing_number_) return fail(Errc::kStopped, "tick");
    return {};
  }
  void expect_all_done() const {
    EXPECT_EQ(produced_, jobs_ + 1);
    for (std::size_t stage = 0; stage < stages_.size(); ++stage)
      EXPECT_EQ(done_[stage], jobs_) << "stage " << stage;
  }

 private:
  struct Slot {
    std::uint64_t number = 0;
    std::size_t stage = 0;
  };
  std::uint64_t jobs_;
  std::vector<Stage> stages_;
  std::vector<Slot> slots_;
  std::vector<std::uint64_t> next_;  // of in-order stages
  std::vector<std::atomic<std::uint64_t>> done_;
  std::uint64_t produced_ = 0;
  std::uint64_t ticks_ = 0;
  unsigned failing_stage_ = ~0U;
  std::uint64_t failing_number_ = kNever;
  std::thread::id caller_ = std::this_thread::get_id();
};

const std::vector<std::vector<Stage>> kShapes = {
    {{.threads = 1}},
    {{.threads = 3}},
    {{.threads = 1, .in_order = true}},
    {{.threads = 2}, {.threads = 1, .in_order = true}, {.threads = 3}},  // as the writer's
    {{.threads = 3}, {.threads = 2}, {.threads = 1, .in_order = true}},  // as the reader's
    {{.threads = 1, .in_order = true}, {.threads = 4}, {.threads = 1, .in_order = true}},
};

TEST(StageRing, EveryJobPassesEveryStage) {
  for (const auto& stages : kShapes) {
    for (const std::size_t slots : {1U, 2U, 3U, 16U}) {
      auto ring = StageRing::prepare(slots, stages);
      ASSERT_TRUE(ring);
      EXPECT_EQ(ring->slots(), slots);
      for (const std::uint64_t jobs : {0U, 1U, 2U, 15U, 16U, 17U, 300U}) {
        SCOPED_TRACE(fmt::format("{} stages, {} slots, {} jobs", stages.size(), slots, jobs));
        CheckingWork work(jobs, slots, stages);
        ASSERT_TRUE(ring->run(work));
        work.expect_all_done();
      }
    }
  }
}

/// Ends what a stage began, on a thread of its own and never in the order in which it was begun.
class Ender {
 public:
  explicit Ender(StageRing& ring) : ring_(ring), thread_([this] { run(); }) {}
  ~Ender() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  void begin(std::size_t slot, Result<void> how) {
    const std::lock_guard lock(mutex_);
    begun_.emplace_back(slot, std::move(how));
    changed_.notify_one();
  }
  [[nodiscard]] int left() {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(begun_.size());
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return closed_ || !begun_.empty(); });
      if (begun_.empty()) return;
      const auto [slot, how] = begun_.back();  // the youngest first
      begun_.pop_back();
      lock.unlock();
      ring_.end_of(slot, how);
      lock.lock();
    }
  }

  StageRing& ring_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::pair<std::size_t, Result<void>>> begun_;
  bool closed_ = false;
  std::thread thread_;
};

/// Stage 1 only begins; the last stage sees the jobs in order again.
class BeginningWork final : public StageWork {
 public:
  BeginningWork(Ender& ender, std::uint64_t jobs, std::uint64_t failing)
      : ender_(ender), jobs_(jobs), failing_(failing) {}
  Result<bool> produce(std::size_t, std::uint64_t number) override { return number < jobs_; }
  Result<void> work(unsigned stage, std::size_t slot, std::uint64_t number, unsigned) override {
    if (stage == 1)
      ender_.begin(slot, number == failing_ ? fail(Errc::kIo, "transfer").at(number) : Result<void>{});
    if (stage == 2) {
      EXPECT_EQ(number, delivered_++);
    }
    return {};
  }
  Result<void> tick() override { return {}; }
  [[nodiscard]] std::uint64_t delivered() const { return delivered_; }

 private:
  Ender& ender_;
  std::uint64_t jobs_;
  std::uint64_t failing_;
  std::uint64_t delivered_ = 0;
};

TEST(StageRing, AStageMayOnlyBeginItsJobs) {
  for (const bool in_order : {false, true}) {
    for (const std::size_t slots : {1U, 3U, 16U}) {
      auto ring = StageRing::prepare(slots, {{.threads = 2},
                                             {.threads = 1, .in_order = in_order, .begins = true},
                                             {.threads = 1, .in_order = true}});
      ASSERT_TRUE(ring);
      Ender ender(*ring);
      for (const std::uint64_t failing : {std::uint64_t{1000}, std::uint64_t{0}, std::uint64_t{57}}) {
        SCOPED_TRACE(fmt::format("{} slots, {} fails", slots, failing));
        BeginningWork work(ender, 100, failing);
        const auto done = ring->run(work);
        EXPECT_EQ(ender.left(), 0) << "run() waits for all that was begun";
        EXPECT_EQ(done.has_value(), failing > 100);
        if (done) {
          EXPECT_EQ(work.delivered(), 100U);
        } else {
          EXPECT_EQ(done.error().offset, failing);
          EXPECT_LE(work.delivered(), failing);
        }
      }
    }
  }
}

TEST(StageRing, AnErrorAnywhereEndsTheRunAndTheRingCanBeUsedAgain) {
  for (const auto& stages : kShapes) {
    for (const std::size_t slots : {1U, 3U, 16U}) {
      auto ring = StageRing::prepare(slots, stages);
      ASSERT_TRUE(ring);
      std::vector<unsigned> places = {CheckingWork::kProduce, CheckingWork::kTick};
      for (unsigned stage = 0; stage < stages.size(); ++stage) places.push_back(stage);
      for (const unsigned place : places) {
        for (const std::uint64_t number : {0U, 1U, 7U, 39U}) {
          SCOPED_TRACE(
              fmt::format("{} stages, {} slots, place {} fails at {}", stages.size(), slots, place, number));
          CheckingWork failing(40, slots, stages);
          failing.fail_at(place, number);
          const auto ended = ring->run(failing);
          ASSERT_FALSE(ended);
          const Errc expected = place == CheckingWork::kProduce ? Errc::kIo
                                : place == CheckingWork::kTick  ? Errc::kStopped
                                                                : Errc::kCorrupt;
          EXPECT_EQ(ended.error().code, expected);
          if (place != CheckingWork::kTick) {
            EXPECT_EQ(ended.error().offset, number);
          }
          CheckingWork healthy(20, slots, stages);
          ASSERT_TRUE(ring->run(healthy));
          healthy.expect_all_done();
        }
      }
    }
  }
}

/// Lets threads wait for each other.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

// pzstd's old hang: its writer fails while its reader waits for room.
TEST(StageRing, AnErrorReachesAProducerThatWaitsForASlot) {
  class FailsOnceTheProducerWaits final : public StageWork {
   public:
    Result<bool> produce(std::size_t, std::uint64_t) override { return true; }
    Result<void> work(unsigned, std::size_t, std::uint64_t number, unsigned) override {
      if (number == 0) waiting_.wait();
      return fail(Errc::kIo, "store");
    }
    Result<void> tick() override {
      if (++ticks_ > 2) waiting_.open();  // two ticks follow jobs; the third comes from waiting for a slot
      return {};
    }

   private:
    Gate waiting_;
    int ticks_ = 0;
  } work;
  auto ring = StageRing::prepare(2, {{.threads = 1, .in_order = true}});
  const auto ended = ring->run(work);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().operation, "store");
}

TEST(StageRing, TicksGoOnWhileAStageIsStuck) {
  class StuckUntilTicked final : public StageWork {
   public:
    Result<bool> produce(std::size_t, std::uint64_t number) override { return number < 1; }
    Result<void> work(unsigned, std::size_t, std::uint64_t, unsigned) override {
      enough_.wait();
      return {};
    }
    Result<void> tick() override {
      if (++ticks_ == 4) enough_.open();
      return {};
    }

   private:
    Gate enough_;
    int ticks_ = 0;
  } work;
  auto ring = StageRing::prepare(1, {{.threads = 1}});
  EXPECT_TRUE(ring->run(work));
}

/// Two workers wait for something outside of the ring when the producer, a tick or the third worker fails.
TEST(StageRing, WorkThatWaitsOutsideIsToldOfTheEnd) {
  enum class Where : std::uint8_t { kProduce, kTick, kWork };
  class WaitsOutside final : public StageWork {
   public:
    explicit WaitsOutside(Where where) : where_(where) {}
    Result<bool> produce(std::size_t, std::uint64_t number) override {
      if (where_ == Where::kProduce && number == 3) return fail(Errc::kIo, "fails");
      return number < 3;
    }
    Result<void> work(unsigned, std::size_t, std::uint64_t number, unsigned) override {
      if (where_ == Where::kWork && number == 2) return fail(Errc::kIo, "fails");
      outside_.wait();
      return fail(Errc::kIo, "waited");
    }
    Result<void> tick() override {
      if (where_ == Where::kTick && ++ticks_ == 6) return fail(Errc::kIo, "fails");
      return {};
    }
    void failed(const Error& error) override {
      EXPECT_EQ(error.operation, "fails") << "the first error";
      ++told_;
      outside_.open();
    }
    [[nodiscard]] int told() const { return told_; }

   private:
    Where where_;
    Gate outside_;
    int ticks_ = 0;
    std::atomic<int> told_ = 0;
  };
  for (const Where where : {Where::kProduce, Where::kTick, Where::kWork}) {
    auto ring = StageRing::prepare(4, {{.threads = 3}});
    WaitsOutside work(where);
    const auto ended = ring->run(work);
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().operation, "fails");
    EXPECT_EQ(work.told(), 1);
  }
}

/// Room for many more jobs than there are, and for fewer: the place where a stage begins to look moves on.
TEST(StageRing, AThousandSlots) {
  const std::vector<Stage> stages = {{.threads = 3}, {.threads = 2}, {.threads = 1, .in_order = true}};
  for (const std::uint64_t jobs : {10U, 1000U, 5000U}) {
    auto ring = StageRing::prepare(1000, stages);
    ASSERT_TRUE(ring);
    CheckingWork work(jobs, 1000, stages);
    ASSERT_TRUE(ring->run(work));
    work.expect_all_done();
  }
}

TEST(StageRing, ManySlotsAndThreads) {
  const std::vector<Stage> stages = {{.threads = 8}, {.threads = 1, .in_order = true}, {.threads = 8}};
  auto ring = StageRing::prepare(64, stages);
  ASSERT_TRUE(ring);
  CheckingWork work(5000, 64, stages);
  ASSERT_TRUE(ring->run(work));
  work.expect_all_done();
}

TEST(StageRing, CanBeMovedBeforeItRuns) {
  const std::vector<Stage> stages = {{.threads = 2}};
  auto first = StageRing::prepare(4, stages);
  ASSERT_TRUE(first);
  StageRing second(std::move(*first));
  CheckingWork work(50, 4, stages);
  ASSERT_TRUE(second.run(work));
  work.expect_all_done();
  EXPECT_EQ(second.stack_bytes(), 2 * PreparedThread::kStackBytes);
}

}  // namespace
}  // namespace dormouse::test
