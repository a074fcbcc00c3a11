#include "machine_loader.h"

#include <algorithm>
#include <atomic>
#include <functional>

#include "dormouse/resume_cycle.h"

#include "base/core_dump.h"
#include "base/prepared_thread.h"
#include "kernel/linux_restore_device.h"
#include "kernel/machine_info.h"
#include "kernel/memory_lock.h"
#include "resume_tool.h"
#include "tool/tool_report.h"

namespace dormouse {
namespace {

constexpr std::string_view kTool = "resume";

/// What may be read while somebody types: the kernel needs the rest for the image.
std::uint64_t ahead_bytes(const Host& host) {
  constexpr std::uint64_t kMost = std::uint64_t{512} << 20;
  const auto free = available_ram_bytes(host.paths);
  return free ? std::min(*free / 4, kMost) : 0;
}

/// A thread that asks for the passphrase. Where nobody gives it, it refuses the gate; opening it is for the
/// thread that reads, which counts the try first.
class AskingThread {
 public:
  AskingThread(PassphraseAsker asker, ImageReader& reader, KeyGate& gate)
      : asker_(std::move(asker)), reader_(reader), gate_(gate) {}
  ~AskingThread() { join(); }
  AskingThread(const AskingThread&) = delete;
  AskingThread& operator=(const AskingThread&) = delete;

  Result<void> start() {
    auto thread = PreparedThread::prepare();
    if (!thread) return std::unexpected(thread.error());
    thread_.emplace(std::move(*thread));
    return thread_->start(&AskingThread::run, this);
  }
  void join() {
    if (thread_) thread_->join();
  }
  [[nodiscard]] bool ended() const { return ended_; }
  /// The terminal is back before anybody else uses it. Requires: not started.
  void give_up() { asker_.reset(); }

  // Require: joined.
  [[nodiscard]] bool unlocked() const { return unlocked_; }
  /// Reading ended because somebody was asked and did not open the image, and for no other reason.
  [[nodiscard]] bool refused() const { return refused_; }

 private:
  static void run(void* self) {
    auto& asking = *static_cast<AskingThread*>(self);
    const auto unlocked = unlock_by_asking(*asking.asker_, asking.reader_);
    asking.asker_.reset();
    asking.unlocked_ = unlocked.has_value();
    if (!unlocked) {
      // The others are nothing that somebody could answer better.
      const Errc code = unlocked.error().code;
      asking.refused_ =
          asking.gate_.refuse(unlocked.error()) && (code == Errc::kWrongKey || code == Errc::kStopped);
    }
    asking.ended_ = true;
  }

  std::optional<PassphraseAsker> asker_;
  ImageReader& reader_;
  KeyGate& gate_;
  bool unlocked_ = false;
  bool refused_ = false;
  std::atomic<bool> ended_ = false;
  std::optional<PreparedThread> thread_;
};

/// Progress of a load whose gate opens once somebody has unlocked the image and the try is counted.
class ProgressWhileAsking final : public Progress {
 public:
  /// `unlocked` is called once, by the thread that reads, before the gate opens; an error refuses it.
  ProgressWhileAsking(Progress& shown, AskingThread& asking, KeyGate& gate,
                      std::function<Result<void>()> unlocked)
      : shown_(shown), asking_(asking), gate_(gate), unlocked_(std::move(unlocked)) {}
  void begin(std::string_view phase, std::uint64_t total_bytes) override { shown_.begin(phase, total_bytes); }
  void advance(std::uint64_t done_bytes) override { shown_.advance(done_bytes); }
  void end() override { shown_.end(); }
  [[nodiscard]] bool stop_requested() override {
    if (!settled_ && asking_.ended()) settle();
    return shown_.stop_requested();
  }

 private:
  void settle() {
    settled_ = true;
    asking_.join();  // the freeze should find no thread of ours
    if (!asking_.unlocked()) return;
    if (auto r = unlocked_(); !r) {
      gate_.refuse(r.error());
    } else {
      gate_.open();
    }
  }

  Progress& shown_;
  AskingThread& asking_;
  KeyGate& gate_;
  std::function<Result<void>()> unlocked_;
  bool settled_ = false;
};

/// The disk may say something else when it is asked again.
Failure changed_meanwhile(std::string_view path) {
  return fail(Errc::kCorrupt, "open sealed image")
      .on(path)
      .because(
          "it is not the image that was found at first: somebody, or a failing disk, changed it meanwhile. "
          "Check the disk, and who can write to it");
}

Result<void> require_still_sealed(const ImageReader& reader, std::string_view path) {
  if (reader.sealed()) return {};
  return changed_meanwhile(path);
}

}  // namespace

Error MachineLoader::load(const ImageInfo& image, const TryCounter& count) {
  report_image(image, report_);
  left_locked_ = false;
  if (image.cipher) {
    Error error = load_sealed(image, count);
    // To the boot script, bad usage means that nothing was looked at.
    if (error.code == Errc::kUsage) error.code = Errc::kWrongKey;
    return error;
  }
  if (auto r = require_seal(settings_, image, marked_.target.path); !r) return r.error();
  auto reader = prepare_for(image, 0);
  if (!reader) return reader.error();
  return jump_from(*reader, progress(), nullptr);
}

Error MachineLoader::load_sealed(const ImageInfo& image, const TryCounter& count) {
  forbid_core_dumps();
  const std::string& path = marked_.target.path;
  // With little memory first: how much is needed depends on whether somebody has to be asked.
  auto header = prepare_reader(marked_, kMinPageBytes, 1);
  if (!header) return header.error();
  if (auto r = require_still_sealed(*header, path); !r) return r.error();
  auto keys = read_keys(settings_, *header);
  if (!keys) return keys.error();
  const auto opened = unlock_with(*keys, *header);
  if (!opened) return opened.error();
  if (!*opened) {
    for (const std::string& problem : keys->problems) say(problem);
    if (!header->takes_passphrase()) return no_key_opens(path, *keys);
  }
  header->forget_key();
  auto reader = prepare_for(image, *opened ? 0 : ahead_bytes(host_));
  if (!reader) return reader.error();
  if (auto r = require_still_sealed(*reader, path); !r) return r.error();
  const auto again = *opened ? unlock_with(*keys, *reader) : Result<bool>(false);
  keys->keys.clear();  // what is in memory at the jump may be found in the machine that wakes up
  if (!again) return again.error();
  if (!*again) return *opened ? changed_meanwhile(path).error() : load_while_asking(*reader, count);
  if (auto r = count(*reader); !r) return r.error();
  return jump_from(*reader, progress(), nullptr);
}

Error MachineLoader::load_while_asking(ImageReader& reader, const TryCounter& count) {
  KeyGate gate;
  const std::string prompt = passphrase_prompt(marked_.target.path);
  if (console_ != nullptr) console_->begin_asking();
  auto asker = PassphraseAsker::open({.tool = kTool,
                                      .prompt = prompt,
                                      .boot = true,
                                      .countdown_seconds = settings_.passphrase_countdown,
                                      .stop = [&gate] { return gate.decided(); }});
  const auto end_asking = [&] {
    if (console_ != nullptr) console_->end_asking();
  };
  if (!asker) {
    end_asking();
    return asker.error();
  }
  AskingThread asking(std::move(*asker), reader, gate);
  ProgressWhileAsking shown(progress(), asking, gate, [&] {
    end_asking();
    if (console_ != nullptr) console_->watch_for_stalls("read");
    return count(reader);
  });
  if (auto r = asking.start(); !r) {
    asking.give_up();
    end_asking();
    return r.error();
  }
  const Error error = jump_from(reader, shown, &gate);
  gate.refuse(error);  // ends the asking where nothing was read at all
  asking.join();
  reader.forget_key();
  end_asking();
  left_locked_ = !asking.unlocked() && (asking.refused() || error.code == Errc::kStopped);
  return error;
}

Result<ImageReader> MachineLoader::prepare_for(const ImageInfo& image, std::uint64_t ahead) {
  auto reader = prepare_reader(marked_, image.options.chunk_bytes, worker_threads(settings_.threads), ahead);
  if (reader) report_.memory_bytes = reader->memory_bytes();
  return reader;
}

Error MachineLoader::jump_from(ImageReader& reader, Progress& shown, KeyGate* gate) {
  CycleObserver& observer = console_ != nullptr ? static_cast<CycleObserver&>(*console_) : nobody_;
  const auto run = [&]() -> Error {
    auto restore = LinuxRestoreDevice::open(
        {.path = settings_.snapshot_device, .paths = host_.paths, .page_bytes = 0}, host_.calls);
    if (!restore) return restore.error();
    auto lock = MemoryLock::take(host_.calls);
    if (!lock) return lock.error();
    return run_resume({.restore = **restore,
                       .area = *marked_.opened.area,
                       .reader = reader,
                       .progress = shown,
                       .observer = observer,
                       .gate = gate})
        .error();
  };
  const Error error = run();
  // The device is closed, so user space runs whatever happened.
  observer.thawed();
  return error;
}

Progress& MachineLoader::progress() {
  return console_ != nullptr ? console_->progress() : no_progress_;
}

void MachineLoader::say(std::string_view line) {
  if (console_ != nullptr) {
    console_->say("{}", line);
  } else {
    complain(kTool, line);
  }
}

}  // namespace dormouse
