#include "image/pipeline_model.h"

namespace dormouse::test {
namespace {

constexpr double kChunkMegabytes = 0.25;

enum class What : std::uint8_t { kRead, kPacked, kStored };
struct Event {
  double time;
  What what;
  unsigned number;
  double ratio;
  friend bool operator>(const Event& a, const Event& b) { return a.time > b.time; }
};

class Run {
 public:
  Run(const PipelineModel& model, const std::function<std::size_t(std::size_t)>& choose)
      : model_(model), choose_(choose), free_slots_(model.slots), packed_(model.chunks) {}

  double rate() {
    go_on();
    while (stored_ < model_.chunks) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.time;
      happen(event);
      go_on();
    }
    return model_.chunks * kChunkMegabytes / now_;
  }

 private:
  void happen(const Event& event) {
    switch (event.what) {
      case What::kRead:
        reading_ = false;
        ++to_pack_;
        break;
      case What::kPacked:
        --packing_;
        packed_[event.number] = event.ratio;
        while (placed_ < model_.chunks && packed_[placed_] > 0) {
          ++in_flight_;
          to_store_.push_back(packed_[placed_++]);
        }
        break;
      case What::kStored:
        storing_ = false;
        --in_flight_;
        ++stored_;
        ++free_slots_;
        break;
    }
  }

  void go_on() {
    if (!reading_ && free_slots_ > 0 && read_ < model_.chunks) {
      reading_ = true;
      --free_slots_;
      ++read_;
      events_.push({now_ + kChunkMegabytes / model_.source_rate, What::kRead, 0, 0});
    }
    while (packing_ < model_.cores && to_pack_ > 0) {
      --to_pack_;
      ++packing_;
      const std::size_t rung = choose_(in_flight_);
      // Memory is not alike everywhere: 30 % up or down, each for itself.
      const double time = kChunkMegabytes / model_.pack_rates[rung] * varied();
      const double ratio = rung == 0 ? 1.0 : std::min(1.0, codec_ladder()[rung].ratio * varied());
      events_.push({now_ + time, What::kPacked, begun_++, ratio});
    }
    if (!storing_ && !to_store_.empty()) {
      storing_ = true;
      events_.push({now_ + kChunkMegabytes * to_store_.front() / model_.device_rate, What::kStored, 0, 0});
      to_store_.pop_front();
    }
  }

  double varied() { return 0.7 + 0.6 * static_cast<double>(random_.below(1000)) / 1000.0; }

  const PipelineModel& model_;
  const std::function<std::size_t(std::size_t)>& choose_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  SeededRandom random_{1};
  double now_ = 0;
  std::size_t free_slots_;
  std::size_t in_flight_ = 0;
  unsigned placed_ = 0;
  unsigned begun_ = 0;
  std::vector<double> packed_;  // ratio by number, 0 while it is not packed
  unsigned read_ = 0;
  unsigned to_pack_ = 0;
  unsigned packing_ = 0;
  unsigned stored_ = 0;
  bool reading_ = false;
  bool storing_ = false;
  std::deque<double> to_store_;
};

}  // namespace

double PipelineModel::run(const std::function<std::size_t(std::size_t in_flight)>& choose) const {
  return Run(*this, choose).rate();
}

}  // namespace dormouse::test
