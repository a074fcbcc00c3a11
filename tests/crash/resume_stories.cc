/// Stories that begin with an image.
#include "dormouse/resume_cycle.h"

#include "crash/stage.h"
#include "crash/stories.h"
#include "format/swap_header.h"
#include "support/fake_restore_device.h"

namespace dormouse::test {
namespace {

/// The instant of the jump is a landmark, and after it nobody is there to write.
class JumpingRestoreDevice final : public RestoreDevice {
 public:
  JumpingRestoreDevice(FakeRestoreDevice& inner, WriteLog& log, bool refuse)
      : inner_(inner), log_(log), refuse_(refuse) {}
  Result<void> write(std::span<const std::byte> pages) override { return inner_.write(pages); }
  Result<void> finish() override { return inner_.finish(); }
  Result<void> set_platform_support(bool on) override { return inner_.set_platform_support(on); }
  Result<void> freeze() override { return inner_.freeze(); }
  Result<void> unfreeze() override { return inner_.unfreeze(); }
  Result<void> free_image() override { return inner_.free_image(); }
  Result<void> atomic_restore() override {
    log_.pass(kJumps);
    if (refuse_) return fail(Errc::kIo, "SNAPSHOT_ATOMIC_RESTORE").os(EPERM);
    auto r = inner_.atomic_restore();
    if (inner_.restored()) log_.close();
    return r;
  }

 private:
  FakeRestoreDevice& inner_;
  WriteLog& log_;
  bool refuse_;
};

/// Of what the image consists, only its header may be written again.
Story begin_story(const Shape& shape, const Story& saved, std::string name) {
  Story story{.name = shape.name + ": " + name,
              .area = saved.area,
              .before = medium_after(saved),
              .calls = {},
              .begins = Left::kImage,
              .stream = saved.stream,
              .chunk_bytes = saved.chunk_bytes,
              .ours = {}};
  const auto page = story.before.bytes().subspan(story.header_offset(), story.area.page_bytes);
  story.ours.insert(std::uint64_t{get_tail(page).image_header_offset} / story.area.page_bytes);
  return story;
}

struct OpenImage {
  OpenImage(Stage& stage, const Story& story)
      : area(SwapArea::open(stage.header, DeviceOffset{story.header_offset()}).value()),
        reader(ImageReader::prepare(story.chunk_bytes, 1).value()) {
    reader.open(stage.data, area.marked_image_header(), bounds_of(story.area)).value();
  }
  SwapArea area;
  ImageReader reader;
};

}  // namespace

Story resume_story(const Shape& shape, const Story& saved, const ResumeTurns& turns, bool* fault_fired) {
  Story story = begin_story(shape, saved, "resume, " + turns.name);
  Stage stage(story.before, turns.data_fault, turns.header_fault);
  FakeRestoreDevice kernel(shape.machine.page_bytes);
  kernel.faults().fail_call(turns.failing_kernel_call, ENOMEM);
  JumpingRestoreDevice restore(kernel, stage.log, turns.refused);
  StoryObserver observer(stage.log, turns.stop_at_question, {});
  NoProgress progress;
  OpenImage image(stage, story);
  (void)image.reader.note_attempt();  // as resume does before each try
  (void)run_resume({.restore = restore,
                    .area = image.area,
                    .reader = image.reader,
                    .progress = progress,
                    .observer = observer});
  story.calls = stage.log.take_calls();
  if (fault_fired != nullptr) *fault_fired = stage.fault_fired() || kernel.faults().fired();
  return story;
}

Story discard_story(const Shape& shape, const Story& saved, const FaultPlan& fault, bool* fault_fired) {
  Story story = begin_story(shape, saved, "discard");
  Stage stage(story.before, {}, fault);
  OpenImage image(stage, story);
  if (image.area.clear(image.reader.original_tail())) stage.log.pass(kRunsOn);
  story.calls = stage.log.take_calls();
  if (fault_fired != nullptr) *fault_fired = stage.fault_fired();
  return story;
}

Story verify_story(const Shape& shape, const Story& saved) {
  Story story = begin_story(shape, saved, "verify");
  Stage stage(story.before, {}, {});
  OpenImage image(stage, story);
  NullPageSink sink;
  NoProgress progress;
  image.reader.read(sink, progress).value();
  story.calls = stage.log.take_calls();
  return story;
}

}  // namespace dormouse::test
