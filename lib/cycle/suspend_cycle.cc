/// The story of a suspend. Until the mark is on the medium nothing there leads to the image, so whatever
/// happens leaves plain swap. From the mark on the image is whole and durable. Whoever comes back to a
/// running system takes the mark off first: a running system changes its disks, and an image that does not
/// know would destroy them.
#include "dormouse/suspend_cycle.h"

#include <algorithm>

#include "base/aligned_buffer.h"
#include "cycle/step_timer.h"
#include "cycle/twice.h"

namespace dormouse {
namespace {

class SuspendRun {
 public:
  SuspendRun(const SuspendParts& parts, const SuspendRequest& request, AlignedBuffer blank)
      : p_(parts), request_(request), blank_page_(std::move(blank)), steps_(parts.observer) {}

  Result<SuspendOutcome> run();

 private:
  Result<void> reserve_header();
  Result<void> freeze_and_go();
  Result<void> save();
  Result<void> verify();
  Result<void> mark();
  Result<void> leave();
  Result<void> read_figures();
  Result<void> go_back();

  [[nodiscard]] bool rehearsal() const { return request_.method == ShutdownMethod::kNone; }

  const SuspendParts& p_;
  const SuspendRequest& request_;
  AlignedBuffer blank_page_;
  StepTimer steps_;
  SuspendOutcome outcome_;
  DeviceOffset header_at_{};
  bool frozen_ = false;
  bool mark_possible_ = false;  // the mark may be on the medium
};

// Keeps the first error.
void keep_first(Result<void>& first, Result<void> next) {
  if (first && !next) first = next;
}

Result<SuspendOutcome> SuspendRun::run() {
  Result<void> done = reserve_header();
  if (done) done = freeze_and_go();
  auto back = go_back();
  if (!back && mark_possible_) {
    // Worse than whatever led here: say this first, it is what the user has to act on.
    Error error = back.error();
    error.detail.format(
        "THE MARK MAY STILL BE ON THE DISK while the system runs. Do not let this machine boot into the "
        "image: remove the mark with 'resume --discard', or 'swapoff' and 'mkswap', before anything else{}{}",
        done ? "" : ". What went wrong first: ", done ? std::string() : done.error().what());
    return std::unexpected(error);
  }
  keep_first(done, back);
  if (!done) return std::unexpected(done.error());
  outcome_.phases = steps_.log();
  return outcome_;
}

// The slot of the image header is taken before the snapshot, so that the system that wakes up knows it too:
// its memory is of the instant of CREATE_IMAGE. Blanked, so that an old header there is not taken for this
// one's.
Result<void> SuspendRun::reserve_header() {
  steps_.begin("prepare");
  const auto place = p_.allocator.allocate(1);
  if (!place) return std::unexpected(place.error());
  header_at_ = page_offset(place->first_page, p_.area.page_bytes());
  BlockDevice& device = p_.area.device();
  if (auto r = device.write(header_at_, blank_page_.span()); !r)
    return during("blank image header", r.error());
  if (auto r = device.flush(); !r) return during("flush blank image header", r.error());
  if (auto r = p_.snapshot.set_platform_support(request_.platform); !r) return r;
  return p_.snapshot.set_preferred_image_bytes(request_.size_cap_bytes);
}

Result<void> SuspendRun::freeze_and_go() {
  steps_.begin("freeze");
  p_.observer.freezing();
  if (auto r = p_.snapshot.freeze(); !r) return r;
  frozen_ = true;
  steps_.begin("snapshot");
  const auto state = p_.snapshot.create_image();
  if (!state) return std::unexpected(state.error());
  if (*state == SnapshotState::kResumed) {
    if (p_.seal != nullptr) p_.seal->wipe();
    steps_.drop();
    outcome_.end = SuspendEnd::kResumed;
    return read_figures();
  }
  const auto saved = save();
  // A try that follows has a snapshot of its own, which must not hold this one's key.
  if (p_.seal != nullptr) p_.seal->forget_drawn();
  if (!saved) return saved;
  if (rehearsal()) {
    outcome_.end = SuspendEnd::kRehearsed;
    return {};
  }
  if (auto r = mark(); !r) return r;
  return leave();
}

Result<void> SuspendRun::save() {
  const auto bytes = p_.snapshot.image_bytes();
  if (!bytes) return std::unexpected(bytes.error());
  if (p_.observer.stop_requested()) return fail(Errc::kStopped, "write image").because("stopped by the user");
  steps_.begin("write");
  ImageIdentity identity = request_.identity;
  identity.platform = request_.platform;
  identity.size_cap_bytes = request_.size_cap_bytes;
  identity.area_header_page = p_.area.header_page();
  identity.area_uuid = p_.area.uuid();
  identity.original_tail = p_.area.tail();
  const auto written =
      p_.writer.write(p_.snapshot, p_.device, p_.allocator, header_at_, identity, p_.progress);
  if (!written) return std::unexpected(written.error());
  outcome_.image = written->image;
  outcome_.codecs = written->codecs;
  outcome_.write = written->write;
  return request_.verify ? verify() : Result<void>{};
}

Result<void> SuspendRun::verify() {
  steps_.begin("verify");
  // Past the page cache, which would only show what was written to it.
  BlockDevice& device = p_.area.device();
  const ImageBounds bounds{.end_page = device.size_bytes() / p_.area.page_bytes(),
                           .swap_header_page = p_.area.header_page(),
                           .page_bytes = p_.area.page_bytes()};
  if (auto r = p_.reader.open(device, header_at_, bounds); !r) return r;
  if (p_.seal != nullptr) {
    if (auto r = p_.reader.unlock(*p_.seal); !r) return r;
  }
  NullPageSink sink;
  const auto read = p_.reader.read(sink, p_.progress);
  p_.reader.forget_key();
  if (!read) return std::unexpected(read.error());
  return {};
}

// The commit point. Before it a power cut leaves plain swap, after it the image: SwapArea::mark flushes.
Result<void> SuspendRun::mark() {
  if (p_.observer.stop_requested())
    return fail(Errc::kStopped, "mark swap area").because("stopped by the user");
  steps_.begin("mark");
  mark_possible_ = true;
  auto marked = p_.area.mark(header_at_);
  // kBusy says that nothing was written: the header is somebody else's now, and must not be touched by going
  // back.
  if (!marked && marked.error().code == Errc::kBusy) mark_possible_ = false;
  return marked;
}

// Returns only if the machine did not go off, or is back from RAM.
Result<void> SuspendRun::leave() {
  steps_.begin("power off");
  if (p_.observer.reboot_chosen()) return p_.power.restart();
  switch (request_.method) {
    case ShutdownMethod::kReboot:
      return p_.power.restart();
    case ShutdownMethod::kSuspend: {
      auto slept = p_.snapshot.suspend_to_ram();
      if (slept) outcome_.end = SuspendEnd::kWoke;
      steps_.drop();
      return slept;
    }
    case ShutdownMethod::kPlatform: {
      auto off = p_.snapshot.power_off();
      // A wake-up event is a reason to go back, not to insist.
      const bool woken = !off && (off.error().code == Errc::kBusy);
      if (woken) return off;
      return p_.power.power_off();
    }
    case ShutdownMethod::kShutdown:
    case ShutdownMethod::kNone:
      break;
  }
  return p_.power.power_off();
}

// The system that wakes up: what was decided after the snapshot is only on disk.
Result<void> SuspendRun::read_figures() {
  BlockDevice& device = p_.area.device();
  const ImageBounds bounds{.end_page = device.size_bytes() / p_.area.page_bytes(),
                           .swap_header_page = p_.area.header_page(),
                           .page_bytes = p_.area.page_bytes()};
  if (auto r = p_.reader.open(device, header_at_, bounds); !r) {
    if (r.error().code != Errc::kNoImage) return r;
    return fail(Errc::kBusy, "SNAPSHOT_CREATE_IMAGE")
        .because(
            "the kernel took no snapshot, as it does when a wake-up event comes at the last moment; try "
            "again");
  }
  outcome_.image = p_.reader.figures();
  outcome_.codecs = p_.reader.codecs();
  outcome_.write = p_.reader.write_figures();
  const TransferFigures read = p_.reader.read_figures();
  if (read != TransferFigures{}) outcome_.read = read;  // a resume that could not note them is a resume, too
  return {};
}

// Every way back goes through here: mark off and flushed first, then the kernel's memory, slots, user space.
Result<void> SuspendRun::go_back() {
  Result<void> first{};
  p_.device.quiesce();
  p_.area.device().quiesce();
  if (mark_possible_) {
    steps_.begin("clear mark");
    p_.area.device().forget_error();
    auto cleared = p_.area.clear();
    if (!cleared) {
      p_.area.device().forget_error();
      cleared = p_.area.clear();
    }
    // Where nothing could be written, the mark could not either.
    if (!cleared && p_.area.is_as_opened()) cleared = {};
    if (cleared) mark_possible_ = false;
    keep_first(first, cleared);
  }
  steps_.begin("thaw");
  p_.observer.thawing();
  if (frozen_) keep_first(first, twice([&] { return p_.snapshot.free_image(); }));
  keep_first(first, twice([&] { return p_.allocator.release_all(); }));
  Result<void> thawed{};
  if (frozen_) thawed = twice([&] { return p_.snapshot.unfreeze(); });
  keep_first(first, thawed);
  frozen_ = false;
  // Else user space runs when the device is closed, and until then nobody may be waited for.
  if (thawed) p_.observer.thawed();
  steps_.end();
  return first;
}

}  // namespace

Result<SuspendOutcome> run_suspend(const SuspendParts& parts, SuspendRequest request) {
  auto blank = AlignedBuffer::allocate(parts.area.page_bytes());
  if (!blank) return std::unexpected(blank.error());
  return SuspendRun(parts, request, std::move(*blank)).run();
}

}  // namespace dormouse
