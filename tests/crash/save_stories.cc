/// Stories that begin with plain swap.
#include <memory>

#include "dormouse/image_writer.h"
#include "dormouse/suspend_cycle.h"

#include "crash/stage.h"
#include "crash/stories.h"
#include "cycle/cycle_bed.h"
#include "image/memory_pages.h"
#include "kernel/slot_allocator.h"
#include "swap/scattered_allocator.h"

namespace dormouse::test {
namespace {

constexpr ImageIdentity kIdentity{.architecture = "x86_64",
                                  .kernel_release = "6.1.0-test",
                                  .host = "testhost",
                                  .writer = "test",
                                  .ram_bytes = 0,
                                  .size_cap_bytes = 0,
                                  .platform = false,
                                  .area_header_page = 0,
                                  .area_uuid = {},
                                  .original_tail = {}};

Story begin_story(const Shape& shape, const MemoryBlockDevice& before, std::string name) {
  return {.name = shape.name + ": " + name,
          .area = shape.area(),
          .before = before.clone(),
          .calls = {},
          .begins = Left::kPlain,
          .stream = FakeSnapshotDevice::stream(shape.machine),
          .chunk_bytes = shape.options.chunk_bytes,
          .ours = {}};
}

/// Hands out what `inner` does, and writes down what that was.
class NotingAllocator final : public SwapAllocator {
 public:
  NotingAllocator(std::unique_ptr<SwapAllocator> inner, std::set<std::uint64_t>& pages)
      : inner_(std::move(inner)), pages_(pages) {}
  Result<Extent> allocate(std::uint64_t max_pages) override {
    auto extent = inner_->allocate(max_pages);
    if (!extent) return extent;
    for (std::uint64_t page = extent->first_page; page < extent->end_page(); ++page) pages_.insert(page);
    return extent;
  }
  Result<std::uint64_t> free_pages() override { return inner_->free_pages(); }
  Result<void> release_all() override { return inner_->release_all(); }

 private:
  std::unique_ptr<SwapAllocator> inner_;
  std::set<std::uint64_t>& pages_;
};

std::unique_ptr<SwapAllocator> file_mode_allocator(const Shape& shape, const SwapArea& area) {
  if (shape.longest_run == 0) return make_free_layout_allocator(area);
  const std::uint64_t first = shape.machine.header_page + 1;
  return std::make_unique<ScatteredAllocator>(first, first + shape.machine.swap_pages - 1, shape.longest_run,
                                              shape.machine.fragmentation_seed);
}

Result<void> store(const Shape& shape, const Turns& turns, Stage& stage, Story& story) {
  auto area = SwapArea::open(stage.header, DeviceOffset{story.header_offset()});
  if (!area) return std::unexpected(area.error());
  NotingAllocator allocator(file_mode_allocator(shape, *area), story.ours);
  auto writer = ImageWriter::prepare(shape.options, area->page_bytes());
  if (!writer) return std::unexpected(writer.error());
  const auto place = allocator.allocate(1);
  if (!place) return std::unexpected(place.error());
  ImageIdentity identity = kIdentity;
  identity.area_header_page = area->header_page();
  identity.area_uuid = area->uuid();
  identity.original_tail = area->tail();
  MemoryPageSource source(story.stream, area->page_bytes());
  StoppingProgress progress(stage.log, turns.stop_after_writes);
  const auto written = writer->write(source, stage.data, allocator,
                                     page_offset(place->first_page, area->page_bytes()), identity, progress);
  if (!written) return std::unexpected(written.error());
  if (turns.verify) {
    auto reader = ImageReader::prepare(shape.options.chunk_bytes, 1);
    if (!reader) return std::unexpected(reader.error());
    if (auto r = reader->open(area->device(), written->header_at, bounds_of(story.area)); !r) return r;
    NullPageSink sink;
    if (auto r = reader->read(sink, progress); !r) return std::unexpected(r.error());
  }
  if (turns.stop_at_question == 0) return fail(Errc::kStopped, "mark swap area");
  auto marked = area->mark(written->header_at);
  if (!marked && marked.error().code != Errc::kBusy) {
    area->device().forget_error();
    (void)area->clear();
  }
  return marked;
}

}  // namespace

SwapShape Shape::area() const {
  return {.page_bytes = machine.page_bytes,
          .last_page = static_cast<std::uint32_t>(machine.swap_pages - 1),
          .bad_pages = bad_pages,
          .header_page = machine.header_page,
          .spare_pages = spare_pages};
}

MemoryBlockDevice fresh_medium(const Shape& shape) {
  return make_swap_disk(shape.area());
}

Story suspend_story(const Shape& shape, const MemoryBlockDevice& before, const Turns& turns,
                    bool* fault_fired) {
  Story story = begin_story(shape, before, "suspend, " + turns.name);
  Stage stage(before, turns.data_fault, turns.header_fault);
  FakeSnapshotDevice kernel(shape.machine);
  kernel.set_swap_area(shape.machine.swap_device, shape.machine.header_page).value();
  SlotAllocator allocator(kernel);
  CallLog calls;
  FakePower power(calls);
  power.at_end = [&] {
    if (!turns.stays_on) stage.log.close();
  };
  // Where the header's handle is broken for good the mark cannot be taken off.
  const bool broken = turns.header_fault.fail_for_ever;
  StoryObserver observer(stage.log, turns.stop_at_question, broken ? std::string_view{} : kRunsOn);
  StoppingProgress progress(stage.log, turns.stop_after_writes);
  auto area = SwapArea::open(stage.header, DeviceOffset{story.header_offset()}).value();
  auto writer = ImageWriter::prepare(shape.options, shape.machine.page_bytes).value();
  auto reader = ImageReader::prepare(shape.options.chunk_bytes, 1).value();
  const auto ended = run_suspend({.snapshot = kernel,
                                  .device = stage.data,
                                  .area = area,
                                  .allocator = allocator,
                                  .writer = writer,
                                  .reader = reader,
                                  .power = power,
                                  .progress = progress,
                                  .observer = observer},
                                 {.method = turns.method,
                                  .verify = turns.verify,
                                  .platform = false,
                                  .size_cap_bytes = 0,
                                  .identity = kIdentity});
  // Unless the user is told so aloud, it has to be off. A write that failed is a matter for the error alone.
  const bool told = !ended && ended.error().detail.view().starts_with("THE MARK MAY STILL BE ON THE DISK");
  if (broken && turns.header_fault.only_flushes && !told) stage.log.pass(kRunsOn);
  story.ours = {kernel.handed_out().begin(), kernel.handed_out().end()};
  story.calls = stage.log.take_calls();
  if (fault_fired != nullptr) *fault_fired = stage.fault_fired();
  return story;
}

Story store_story(const Shape& shape, const MemoryBlockDevice& before, const Turns& turns,
                  bool* fault_fired) {
  Story story = begin_story(shape, before, "store, " + turns.name);
  Stage stage(before, turns.data_fault, turns.header_fault);
  const auto done = store(shape, turns, stage, story);
  if (done) stage.log.pass(kGoesOff);
  if (!done && !turns.header_fault.fail_for_ever) stage.log.pass(kRunsOn);
  for (const std::uint32_t bad : shape.bad_pages) story.ours.erase(shape.machine.header_page + bad);
  story.calls = stage.log.take_calls();
  if (fault_fired != nullptr) *fault_fired = stage.fault_fired();
  return story;
}

}  // namespace dormouse::test
