#include "dormouse/resume_cycle.h"

#include "cycle/step_timer.h"
#include "cycle/twice.h"

namespace dormouse {
namespace {

class ResumeRun {
 public:
  explicit ResumeRun(const ResumeParts& parts) : p_(parts), steps_(parts.observer) {}

  Result<void> run() {
    auto failed = load_and_jump();
    // In this order: thawing first would make the kernel forget, and leak, the pages that it holds.
    const auto freed = twice([&] { return p_.restore.free_image(); });
    p_.area.device().quiesce();
    if (p_.area.mark_taken_off()) put_mark_back(failed.error());
    p_.observer.thawing();
    // What could not be freed is freed when the device is closed.
    const bool thawed = !frozen_ || (freed && twice([&] { return p_.restore.unfreeze(); }));
    if (thawed) p_.observer.thawed();
    return failed;
  }

 private:
  Result<void> load_and_jump() {
    steps_.begin("read");
    const auto figures = p_.reader.read(p_.restore, p_.progress, p_.gate);
    // Else somebody may still be at unlocking it.
    if (figures || p_.gate == nullptr) p_.reader.forget_key();
    if (!figures) return std::unexpected(figures.error());
    steps_.begin("note figures");
    if (auto r = p_.reader.note_read(*figures); !r) return r;
    if (p_.observer.stop_requested()) return fail(Errc::kStopped, "resume").because("stopped by the user");
    steps_.begin("freeze");
    if (auto r = p_.restore.set_platform_support(p_.reader.platform()); !r) return r;
    p_.observer.freezing();
    if (auto r = p_.restore.freeze(); !r) return r;
    frozen_ = true;
    // Cleared before the jump: the machine that wakes up must never find the mark of the image it came from.
    steps_.begin("clear mark");
    if (auto r = p_.area.clear(p_.reader.original_tail()); !r) return r;
    // If the disk loses that write after all, this tells the next boot that the image has been resumed.
    if (auto r = p_.reader.note_state(ResumeState::kJumping); !r) return r;
    steps_.begin("jump");
    auto refused = p_.restore.atomic_restore();
    if (refused) return fail(Errc::kIo, "SNAPSHOT_ATOMIC_RESTORE").because("it returned without resuming");
    return refused;
  }

  // Before the thaw, while nobody else can mount anything. The state first: a mark on an image that says it
  // has been resumed would be of no use.
  void put_mark_back(Error& error) {
    steps_.begin("put mark back");
    auto done = p_.reader.note_state(ResumeState::kWaiting);
    p_.area.device().forget_error();
    if (done) done = p_.area.mark_again();
    if (done) return;
    const auto reason = error.detail;
    error.detail.format("{}{}the mark was off for the jump and could not be put on again", reason.view(),
                        reason.empty() ? "" : "; ");
  }

  const ResumeParts& p_;
  StepTimer steps_;
  bool frozen_ = false;
};

}  // namespace

Result<void> run_resume(const ResumeParts& parts) {
  return ResumeRun(parts).run();
}

}  // namespace dormouse
