#include "pipeline/stage_ring.h"

#include <algorithm>
#include <chrono>
#include <memory>

namespace dormouse {
namespace {

// How long the producing thread waits at most before it looks at keys, signals and the progress again.
constexpr auto kTickInterval = std::chrono::milliseconds(100);

}  // namespace

struct StageRing::Seat {
  StageRing* ring = nullptr;
  unsigned stage = 0;
  unsigned worker = 0;
  PreparedThread thread;
};

struct StageRing::Shared {
  std::mutex mutex;
  std::condition_variable progressed;          // the producing thread waits here
  std::vector<std::condition_variable> ready;  // one a stage
  std::vector<Slot> slots;
  std::vector<std::uint64_t> taken;    // jobs that each stage has begun
  std::vector<std::uint64_t> oldest;   // no job before this one waits for the stage any more
  std::vector<std::uint64_t> in_work;  // of these not ended
  std::uint64_t produced = 0;
  std::uint64_t finished = 0;
  bool ended = false;  // the source has no more
  std::optional<Error> error;
  StageWork* work = nullptr;
  std::vector<Seat> seats;

  explicit Shared(std::size_t stage_count) : ready(stage_count) {}
};

StageRing::StageRing(std::size_t slots, std::vector<Stage> stages)
    : slot_count_(slots), stages_(std::move(stages)), shared_(std::make_unique<Shared>(stages_.size())) {
  shared_->slots.resize(slots);
  shared_->taken.resize(stages_.size());
  shared_->oldest.resize(stages_.size());
  shared_->in_work.resize(stages_.size());
}

StageRing::StageRing(StageRing&&) noexcept = default;
StageRing::~StageRing() = default;

Result<StageRing> StageRing::prepare(std::size_t slots, std::vector<Stage> stages) {
  StageRing ring(slots, std::move(stages));
  for (unsigned stage = 0; stage < ring.stages_.size(); ++stage) {
    for (unsigned worker = 0; worker < ring.stages_[stage].threads; ++worker) {
      auto thread = PreparedThread::prepare();
      if (!thread) return std::unexpected(thread.error());
      ring.shared_->seats.push_back(
          {.ring = nullptr, .stage = stage, .worker = worker, .thread = std::move(*thread)});
    }
  }
  return ring;
}

std::size_t StageRing::stack_bytes() const {
  return shared_->seats.size() * PreparedThread::kStackBytes;
}

Result<void> StageRing::run(StageWork& work) {
  Shared& s = *shared_;
  std::ranges::fill(s.slots, Slot{});
  std::ranges::fill(s.taken, 0);
  std::ranges::fill(s.oldest, 0);
  std::ranges::fill(s.in_work, 0);
  s.produced = 0;
  s.finished = 0;
  s.ended = false;
  s.error.reset();
  s.work = &work;
  for (Seat& seat : s.seats) {
    seat.ring = this;
    if (auto r = seat.thread.start(&StageRing::serve, &seat); !r) {
      const std::lock_guard lock(s.mutex);
      abort(r.error());
      break;
    }
  }
  if (auto r = produce_all(work); !r) {
    const std::lock_guard lock(s.mutex);
    abort(r.error());
  }
  for (Seat& seat : s.seats) seat.thread.join();
  if (s.error) return std::unexpected(*s.error);
  return {};
}

Result<void> StageRing::produce_all(StageWork& work) {
  Shared& s = *shared_;
  std::unique_lock lock(s.mutex);
  while (true) {
    if (auto r = wait_for(work, lock, &StageRing::next_slot_free); !r) return r;
    if (s.error) return {};
    const std::uint64_t number = s.produced;
    const std::size_t index = number % slot_count_;
    lock.unlock();
    const auto filled = work.produce(index, number);
    if (!filled) return std::unexpected(filled.error());
    if (auto r = work.tick(); !r) return r;
    lock.lock();
    if (!*filled) break;
    s.slots[index] = {.number = number, .stage = 0, .in_work = false, .occupied = true};
    ++s.produced;
    s.ready[0].notify_one();
  }
  s.ended = true;
  for (auto& ready : s.ready) ready.notify_all();
  return wait_for(work, lock, &StageRing::all_done);
}

Result<void> StageRing::wait_for(StageWork& work, std::unique_lock<std::mutex>& lock,
                                 bool (StageRing::*condition)() const) {
  Shared& s = *shared_;
  while (!s.error && !(this->*condition)()) {
    s.progressed.wait_for(lock, kTickInterval);
    lock.unlock();
    auto ticked = work.tick();
    lock.lock();
    if (!ticked) return ticked;
  }
  return {};
}

bool StageRing::next_slot_free() const {
  return !shared_->slots[shared_->produced % slot_count_].occupied;
}

bool StageRing::all_done() const {
  return shared_->finished == shared_->produced;
}

void StageRing::serve(void* seat) {
  const auto* mine = static_cast<Seat*>(seat);
  mine->ring->serve_stage(mine->stage, mine->worker);
}

std::optional<std::size_t> StageRing::ready_slot(unsigned stage) {
  Shared& s = *shared_;
  const auto is_ready = [&](std::uint64_t number) {
    const Slot& slot = s.slots[number % slot_count_];
    return slot.occupied && slot.number == number && slot.stage == stage && !slot.in_work;
  };
  if (stages_[stage].in_order) {
    const std::uint64_t next = s.taken[stage];
    if (next < s.produced && is_ready(next)) return next % slot_count_;
    return std::nullopt;
  }
  // A ring may have a thousand slots, most of them through this stage.
  const auto is_past = [&](std::uint64_t number) {
    const Slot& slot = s.slots[number % slot_count_];
    return !slot.occupied || slot.number != number || slot.stage > stage ||
           (slot.stage == stage && slot.in_work);
  };
  std::uint64_t& oldest = s.oldest[stage];
  while (oldest < s.produced && is_past(oldest)) ++oldest;
  for (std::uint64_t number = oldest; number < s.produced; ++number) {
    if (is_ready(number)) return number % slot_count_;
  }
  return std::nullopt;
}

void StageRing::serve_stage(unsigned stage, unsigned worker) {
  Shared& s = *shared_;
  const bool begins = stages_[stage].begins;
  std::unique_lock lock(s.mutex);
  while (true) {
    std::optional<std::size_t> index;
    s.ready[stage].wait(lock, [&] {
      // What a thread began is nobody's once it has ended: the kernel ends the requests of such slowly.
      if (s.error || (s.ended && s.taken[stage] == s.produced)) return !begins || s.in_work[stage] == 0;
      index = ready_slot(stage);
      return index.has_value();
    });
    if (!index || s.error) return;
    Slot& slot = s.slots[*index];
    slot.in_work = true;
    ++s.taken[stage];
    ++s.in_work[stage];
    lock.unlock();
    const auto done = s.work->work(stage, *index, slot.number, worker);
    lock.lock();
    if (begins && done) continue;
    --s.in_work[stage];
    if (!done) {
      abort(done.error());
      continue;
    }
    pass(slot);
    // The last job taken lets this stage's other threads end.
    if (s.ended && s.taken[stage] == s.produced) s.ready[stage].notify_all();
  }
}

void StageRing::end_of(std::size_t index, const Result<void>& how) {
  Shared& s = *shared_;
  const std::lock_guard lock(s.mutex);
  Slot& slot = s.slots[index];
  const unsigned stage = slot.stage;
  --s.in_work[stage];
  if (how) {
    pass(slot);
  } else {
    abort(how.error());
  }
  // Its thread may wait for the last that it began.
  if (s.in_work[stage] == 0) s.ready[stage].notify_all();
}

void StageRing::pass(Slot& slot) {
  Shared& s = *shared_;
  slot.in_work = false;
  ++slot.stage;
  if (slot.stage < stages_.size()) {
    // An in-order stage may wait for another job than this one, so its one thread looks itself.
    s.ready[slot.stage].notify_one();
  } else {
    slot.occupied = false;
    ++s.finished;
    s.progressed.notify_one();
  }
}

// With the mutex held.
void StageRing::abort(const Error& error) {
  Shared& s = *shared_;
  if (!s.error) {
    s.error = error;
    if (s.work != nullptr) s.work->failed(error);
  }
  for (auto& ready : s.ready) ready.notify_all();
  s.progressed.notify_one();
}

}  // namespace dormouse
