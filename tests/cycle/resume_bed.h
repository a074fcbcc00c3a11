/// A machine that does not exist and boots with an image on its disk: the loading side of the cycle bed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dormouse/resume_cycle.h"

#include "cycle/cycle_bed.h"
#include "cycle/resume_policy.h"

namespace dormouse::test {

/// The fake kernel's loading side, with its calls in the log. The jump can be refused with words of the
/// kernel's own.
class LoggedRestoreDevice final : public RestoreDevice {
 public:
  LoggedRestoreDevice(FakeRestoreDevice& inner, CallLog& log) : inner_(inner), log_(log) {}
  Result<void> write(std::span<const std::byte> pages) override { return note("load", inner_.write(pages)); }
  Result<void> finish() override { return note("finish", inner_.finish()); }
  Result<void> set_platform_support(bool on) override {
    return note("platform", inner_.set_platform_support(on));
  }
  Result<void> freeze() override { return note("freeze", inner_.freeze()); }
  Result<void> unfreeze() override { return note("unfreeze", inner_.unfreeze()); }
  Result<void> free_image() override { return note("free image", inner_.free_image()); }
  Result<void> atomic_restore() override {
    log_.add("jump");
    if (refuse) return fail(Errc::kIo, "SNAPSHOT_ATOMIC_RESTORE").os(EPERM).because("the kernel's own words");
    return inner_.atomic_restore();
  }
  bool refuse = false;

 private:
  Result<void> note(std::string_view step, Result<void> result) {
    log_.add(step);
    return result;
  }
  FakeRestoreDevice& inner_;
  CallLog& log_;
};

/// Keeps what it is told, and answers as it was told to.
class ScriptedConsole final : public BootConsole {
 public:
  void say(std::string_view line) override { said += std::string(line) + "\n"; }
  Answer ask(const BootQuestion& question) override {
    questions.emplace_back(question.action);
    return answer;
  }
  Answer answer = Answer::kDefault;
  std::string said;
  std::vector<std::string> questions;
};

/// One boot. `device` is the only way to the disk; its calls are counted from the read of the swap header.
struct ResumeBed {
  CallLog log;
  MemoryBlockDevice disk;
  FaultBlockDevice faulty;
  LoggedBlockDevice device;
  FakeRestoreDevice kernel;
  LoggedRestoreDevice restore;
  LoggedObserver observer;
  NoProgress progress;
  ImageReader reader;
  FakePower power;
  ScriptedConsole console;
  MachineFacts machine{.page_bytes = 4096, .architecture = "", .kernel_release = "", .ram_bytes = 0};
  unsigned attempts_allowed = 2;
  std::unique_ptr<MemoryBlockDevice> at_jump;     ///< the disk as the machine that wakes up finds it
  std::unique_ptr<MemoryBlockDevice> at_restart;  ///< and as the next boot finds it
  int restarts = 0;                               ///< or power-offs
  std::string passphrase;                         ///< opens a sealed image
  std::optional<Error> unopened;                  ///< a person was asked to open it, and this came of it

  explicit ResumeBed(MemoryBlockDevice hibernated, const FaultPlan& fault = {})
      : disk(std::move(hibernated)),
        faulty(disk, fault),
        device(faulty, log, "", 0),
        restore(kernel, log),
        observer(log),
        reader(ImageReader::prepare(16 * 4096, 2).value()),
        power(log) {
    kernel.at_jump = [this] { at_jump = copy(); };
    power.at_end = [this] {
      ++restarts;
      at_restart = copy();
    };
  }

  /// A try and nothing around it. Opens area and reader on the device with faults: its calls 0 and 1.
  Result<void> resume() {
    auto opened = SwapArea::open(device, DeviceOffset{0});
    if (!opened) return std::unexpected(opened.error());
    return load_with(*opened, [](ImageReader&) { return Result<void>{}; });
  }

  /// What plain `resume` does. The restart that it may ask for comes back, as every fake end of the machine.
  Result<void> boot() { return boot(console); }
  Result<void> boot(BootConsole& person) {
    auto opened = SwapArea::open(device, DeviceOffset{0});
    if (!opened) return std::unexpected(opened.error());
    Loader loader(*this, *opened);
    return resume_at_boot({.path = "/dev/vda2",
                           .area = *opened,
                           .data = device,
                           .bounds = kBounds,
                           .machine = machine,
                           .attempts_allowed = attempts_allowed,
                           .loader = loader,
                           .power = power,
                           .console = person});
  }

  [[nodiscard]] static bool is_marked(const MemoryBlockDevice& disk) {
    return std::memcmp(disk.bytes().data() + 4086, "ULSUSPEND", 9) == 0;
  }
  [[nodiscard]] static bool header_is_plain(const MemoryBlockDevice& disk) {
    return swap_page_of(disk, {}) == make_swap_page({.last_page = 1023});
  }
  [[nodiscard]] bool is_marked() const { return is_marked(disk); }
  [[nodiscard]] bool header_is_plain() const { return header_is_plain(disk); }

  static constexpr ImageBounds kBounds{.end_page = 1024, .swap_header_page = 0};

 private:
  class Loader final : public ImageLoader {
   public:
    Loader(ResumeBed& bed, SwapArea& area) : bed_(bed), area_(area) {}
    Error load(const ImageInfo&, const TryCounter& count) override {
      return bed_.unopened ? *bed_.unopened : bed_.load_with(area_, count).error();
    }
    [[nodiscard]] bool left_locked() const override { return bed_.unopened.has_value(); }

   private:
    ResumeBed& bed_;
    SwapArea& area_;
  };

  Result<void> load_with(SwapArea& area, const TryCounter& count) {
    if (auto r = reader.open(device, area.marked_image_header(), kBounds); !r) return r;
    if (reader.sealed()) {
      if (auto r = reader.unlock(std::as_bytes(std::span(std::string_view(passphrase)))); !r) return r;
      if (auto r = count(reader); !r) return r;
    }
    return run_resume(
        {.restore = restore, .area = area, .reader = reader, .progress = progress, .observer = observer});
  }
  [[nodiscard]] std::unique_ptr<MemoryBlockDevice> copy() const {
    return std::make_unique<MemoryBlockDevice>(disk.clone());
  }
};

/// What a boot that goes on must find, whatever went wrong: plain swap, or, where not even that could be
/// written, words in capitals and exit code 1.
inline void expect_safe_to_boot(const ResumeBed& bed, const Result<void>& ended) {
  if (bed.console.said.find("COULD NOT BE DISCARDED") == std::string::npos) {
    EXPECT_TRUE(bed.header_is_plain()) << bed.console.said;
    return;
  }
  ASSERT_FALSE(ended);
  EXPECT_EQ(exit_code(ended.error().code), 1) << "by which the boot knows";
  EXPECT_THAT(bed.console.said, ::testing::HasSubstr("may still be on /dev/vda2"));
}

/// What the image header on a hibernated disk says, its resume note included.
inline ImageInfo image_on(const MemoryBlockDevice& disk) {
  MemoryBlockDevice copy = disk.clone();
  auto reader = ImageReader::prepare(16 * 4096, 1).value();
  reader.open(copy, DeviceOffset{4096}, ResumeBed::kBounds).value();
  return reader.info();
}

/// The same disk with one thing noted in its image.
template <class Note>
MemoryBlockDevice noted(MemoryBlockDevice disk, Note note) {
  auto reader = ImageReader::prepare(16 * 4096, 1).value();
  reader.open(disk, DeviceOffset{4096}, ResumeBed::kBounds).value();
  note(reader);
  return disk;
}

/// A flipped bit in the last page of the last chunk.
inline MemoryBlockDevice damaged_disk() {
  MemoryBlockDevice disk = hibernated_disk();
  const std::uint64_t last = image_on(disk).image.stored_bytes / 4096;  // of a free layout
  disk.mutable_bytes(last * 4096 + 9, 1)[0] ^= std::byte{1};
  return disk;
}

}  // namespace dormouse::test
