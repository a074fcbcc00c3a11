#include "cycle/resume_policy.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "base/aligned_buffer.h"

namespace dormouse {
namespace {

class BootResume {
 public:
  explicit BootResume(const BootParts& parts) : p_(parts) {}
  Result<void> run();

 private:
  using Answer = BootConsole::Answer;

  Result<void> without_image_of_ours();
  Result<void> stale();
  Result<void> try_once();
  Result<void> count(ImageReader* reader);
  Result<void> after_failed_try(const Error& error);
  Result<void> after_locked_try(const Error& error);
  Result<void> uncounted(const Error& error);
  Result<void> restart_or_give_back(const Error& error);
  Result<void> power_off_or_give_back(const Error& error);
  Result<void> give_up(const Error& error, std::string_view said);
  Result<void> give_back(std::string_view said);
  Result<bool> header_is_blank();
  void say(std::string_view line) { p_.console.say(line); }

  const BootParts& p_;
  std::optional<ImageReader> header_;  // opened: memory for the header alone
  ImageInfo image_;
  std::uint32_t number_ = 0;  // of this try
  bool counted_ = false;
  std::optional<Error> uncountable_;
};

Result<void> BootResume::run() {
  if (p_.area.signature() != SwapSignature::kUserMark) {
    say(boot_message::left_alone(p_.path, describe(p_.area.signature())));
    return {};
  }
  auto header = ImageReader::prepare(kMinPageBytes, 1);
  if (!header) return uncounted(header.error());
  const auto open = [&] { return header->open(p_.data, p_.area.marked_image_header(), p_.bounds); };
  auto opened = open();
  if (!opened && opened.error().code == Errc::kIo) opened = open();  // without it there is no later try
  if (!opened && opened.error().code == Errc::kNoImage) return without_image_of_ours();
  if (!opened) return uncounted(opened.error());
  header_.emplace(std::move(*header));
  image_ = header_->info();
  if (image_.state != ResumeState::kWaiting) return stale();
  if (image_.attempts >= p_.attempts_allowed) {
    say(boot_message::tries_used_up(p_.path, image_.attempts, p_.attempts_allowed));
    return give_up(fail(Errc::kImpossible, "resume").on(p_.path).because("no tries are left").error(),
                   boot_message::given_back());
  }
  return try_once();
}

Result<void> BootResume::without_image_of_ours() {
  const auto blank = header_is_blank();
  if (!blank) return uncounted(blank.error());
  if (!*blank) {
    say(boot_message::left_alone(p_.path, kForeignUserMark));
    return {};
  }
  // s2disk blanks the page, and marks the area after the header was flushed: the disk lost that flush.
  say(boot_message::unfinished(p_.path));
  return give_back(boot_message::given_back_empty());
}

Result<bool> BootResume::header_is_blank() {
  auto page = AlignedBuffer::allocate(kMinPageBytes);
  if (!page) return std::unexpected(page.error());
  if (auto r = p_.data.read(p_.area.marked_image_header(), page->span()); !r)
    return std::unexpected(r.error());
  return std::ranges::all_of(page->span(), [](std::byte b) { return b == std::byte{0}; });
}

Result<void> BootResume::stale() {
  const bool resumed = image_.state == ResumeState::kJumping;
  say(resumed ? boot_message::resumed_already(p_.path) : boot_message::given_up_before(p_.path));
  return give_up(fail(Errc::kImpossible, "resume").on(p_.path).because("the image is stale").error(),
                 boot_message::given_back_stale());
}

Result<void> BootResume::try_once() {
  number_ = image_.attempts + 1;
  if (!header_->takes_passphrase()) {
    if (auto r = count(nullptr); !r) return uncounted(r.error());
  }
  if (auto r = check_machine(image_, p_.machine, p_.path); !r) return after_failed_try(r.error());
  Error error = p_.loader.load(image_, [this](ImageReader& reader) { return count(&reader); });
  if (uncountable_) return uncounted(*uncountable_);
  if (p_.loader.left_locked()) return after_locked_try(error);
  explain_refusal(error, image_, p_.machine);
  return after_failed_try(error);
}

// A reader that was opened after the count has read it.
Result<void> BootResume::count(ImageReader* reader) {
  if (counted_) return {};
  auto noted = header_->note_attempt();
  if (noted && reader != nullptr) noted = reader->note_attempt();
  counted_ = noted.has_value();
  if (!noted) uncountable_ = noted.error();
  return noted;
}

// Nobody opened it: not a try of the machine's.
Result<void> BootResume::after_locked_try(const Error& error) {
  say(boot_message::still_locked(p_.path, error));
  say(boot_message::kept_uncounted());
  if (p_.console.ask(kPowerOffOrDiscard) == Answer::kOther) return give_up(error, boot_message::given_back());
  return power_off_or_give_back(error);
}

Result<void> BootResume::after_failed_try(const Error& error) {
  const bool stopped = error.code == Errc::kStopped && (!counted_ || header_->take_back_attempt());
  if (!stopped) {
    if (auto r = count(nullptr); !r) return uncounted(r.error());
  }
  say(stopped ? boot_message::stopped(p_.path) : boot_message::not_loaded(p_.path, error));
  if (p_.area.mark_taken_off()) {  // run_resume() could not put it on again
    say(boot_message::not_kept());
    return give_up(error, boot_message::given_back());
  }
  if (!stopped && number_ >= p_.attempts_allowed) {
    say(boot_message::last_try(number_, p_.attempts_allowed));
    return give_up(error, boot_message::given_back());
  }
  say(stopped ? boot_message::kept_uncounted() : boot_message::kept(number_, p_.attempts_allowed));
  if (p_.console.ask(kRestartOrDiscard) == Answer::kOther) return give_up(error, boot_message::given_back());
  return restart_or_give_back(error);
}

// A damaged header, or one that cannot be written. No count, so no restart but one that a person asks for:
// else the machine might restart for ever.
Result<void> BootResume::uncounted(const Error& error) {
  say(number_ == 0 ? boot_message::not_readable(p_.path, error) : boot_message::not_counted(p_.path, error));
  say(boot_message::no_second_try());
  if (p_.console.ask(kDiscardOrKeep) == Answer::kOther) return restart_or_give_back(error);
  return give_up(error, boot_message::given_back());
}

Result<void> BootResume::restart_or_give_back(const Error& error) {
  say(boot_message::restarting());
  const auto failed = p_.power.restart();
  if (!failed) say(boot_message::not_restarted(failed.error()));
  return give_up(error, boot_message::given_back());
}

Result<void> BootResume::power_off_or_give_back(const Error& error) {
  say(boot_message::powering_off());
  const auto failed = p_.power.power_off();
  if (!failed) say(boot_message::not_powered_off(failed.error()));
  return give_up(error, boot_message::given_back());
}

Result<void> BootResume::give_up(const Error& error, std::string_view said) {
  if (auto r = give_back(said); !r) return r;
  return std::unexpected(error);
}

Result<void> BootResume::give_back(std::string_view said) {
  // The note first: if the mark then stays, or the disk loses its removal, the image is not loaded all the
  // same.
  const bool noted = header_ && header_->note_state(ResumeState::kGivenUp);
  p_.area.device().forget_error();
  const auto done = header_ ? p_.area.clear(header_->original_tail()) : p_.area.restore_signature();
  if (done) {
    say(said);
    return done;
  }
  say(boot_message::not_given_back(done.error()));
  say(noted ? boot_message::mark_stays_harmless(p_.path) : boot_message::mark_stays(p_.path));
  Error error = done.error();
  error.code = Errc::kIo;  // the exit code by which the boot knows that the mark is still there
  return std::unexpected(error);
}

}  // namespace

Result<void> resume_at_boot(const BootParts& parts) {
  return BootResume(parts).run();
}

}  // namespace dormouse
