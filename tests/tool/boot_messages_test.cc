/// Every message of a boot that does not bring the machine back, as it is printed: boot_messages.txt. Where
/// the two differ the test leaves what was printed beside it; read it as a person would who sees nothing
/// else, and copy it over the file if it is meant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "console/channels.h"
#include "console/countdown_prompt.h"
#include "cycle/resume_bed.h"
#include "tool/boot_console.h"

namespace dormouse::test {
namespace {

const ImageIdentity kSaved{.architecture = "x86_64",
                           .kernel_release = "6.1.0-37-amd64",
                           .host = "teapot",
                           .writer = "dormouse",
                           .ram_bytes = 2'000'000'000};

MemoryBlockDevice saved_disk() {
  return hibernated_disk({}, kSaved);
}

MachineFacts same_machine() {
  return {.page_bytes = 4096,
          .architecture = "x86_64",
          .kernel_release = "6.1.0-37-amd64",
          .ram_bytes = 2'000'000'000};
}

struct Scene {
  std::string title;
  std::function<MemoryBlockDevice()> disk = saved_disk;
  std::function<void(ResumeBed&)> arrange = [](ResumeBed&) {};
  FaultPlan fault = {};
  std::string keys = {};  ///< typed on a terminal when the question is there; empty: there is no terminal
  unsigned seconds = 20;
};

/// How many calls on the disk this boot makes, so that one of the last can be made to fail.
std::uint64_t calls_of(const Scene& scene) {
  ResumeBed bed(scene.disk());
  bed.machine = same_machine();
  scene.arrange(bed);
  (void)bed.boot();
  return bed.faulty.calls();
}

std::string readable(std::string text) {
  std::ranges::replace(text, '\r', '\n');
  // Where a chunk lies depends on the release of the codec.
  return std::regex_replace(text, std::regex("at byte [0-9]+"), "at byte N");
}

std::string play(const Scene& scene) {
  ResumeBed bed(scene.disk(), scene.fault);
  bed.machine = same_machine();
  scene.arrange(bed);
  const Pipe pipe;
  const PseudoTerminal terminal;
  FakeClock clock;
  const bool typed = !scene.keys.empty();
  auto out = MessageOutput::open(typed ? terminal.tool() : pipe.writer()).value();
  auto keys = typed ? KeyWatcher::open({terminal.tool()}, KeyWatcher::Scope::kAnyTerminal) : KeyWatcher();
  unsigned pauses = 0;
  if (typed) {
    clock.at_pause = [&] {
      if (++pauses == 15) terminal.type(scene.keys);  // after a second and a half
    };
  }
  CountdownConsole console("resume", out, {"resume", out, clock, &keys, nullptr}, scene.seconds);
  const auto ended = bed.boot(console);
  std::string said = readable(typed ? terminal.read() : pipe.read());
  return fmt::format("== {}\n{}-- exit {}{}\n\n", scene.title, said,
                     ended ? 0 : exit_code(ended.error().code),
                     bed.restarts == 0          ? ""
                     : bed.log.has("power off") ? ", after the power-off that failed"
                                                : ", after the restart that failed");
}

Scene kernel_refuses(std::string title) {
  return {.title = std::move(title), .arrange = [](ResumeBed& bed) {
            bed.kernel.faults().fail_name("write", EPERM);
            bed.machine.ram_bytes = 1'000'000'000;
          }};
}

MemoryBlockDevice marked(std::string_view signature) {
  MemoryBlockDevice disk = saved_disk();
  put_text_at(disk.mutable_bytes(0, 4096), 4086, signature);
  return disk;
}

MemoryBlockDevice with_header_page_of(std::byte value) {
  MemoryBlockDevice disk = saved_disk();
  std::ranges::fill(disk.mutable_bytes(4096, 4096), value);
  return disk;
}

MemoryBlockDevice with_damaged_header() {
  MemoryBlockDevice disk = saved_disk();
  disk.mutable_bytes(4096 + 100, 1)[0] ^= std::byte{1};
  return disk;
}

std::function<MemoryBlockDevice()> in_state(ResumeState state) {
  return [state] {
    return noted(saved_disk(), [state](ImageReader& reader) { reader.note_state(state).value(); });
  };
}

std::function<MemoryBlockDevice()> tried(int times) {
  return [times] {
    return noted(saved_disk(), [times](ImageReader& reader) {
      for (int i = 0; i < times; ++i) reader.note_attempt().value();
    });
  };
}

void one_try(ResumeBed& bed) {
  bed.attempts_allowed = 1;
}

std::vector<Scene> failed_tries() {
  Scene last_of_two = kernel_refuses("the last try: the kernel refuses the image");
  last_of_two.disk = tried(1);
  Scene by_key = kernel_refuses("somebody presses d and Enter");
  by_key.keys = "d\n";
  Scene restart_by_key = kernel_refuses("somebody presses Enter");
  restart_by_key.keys = "\n";
  Scene no_countdown = kernel_refuses("no countdown");
  no_countdown.seconds = 0;
  return {
      kernel_refuses("the first try: the kernel refuses the image"),
      last_of_two,
      by_key,
      restart_by_key,
      no_countdown,
      {.title = "one try is allowed: the image is damaged",
       .disk =
           [] {
             MemoryBlockDevice disk = saved_disk();
             disk.mutable_bytes(image_on(disk).image.stored_bytes + 9, 1)[0] ^= std::byte{1};
             return disk;
           },
       .arrange = one_try},
      {.title = "the kernel refuses the jump",
       .arrange =
           [](ResumeBed& bed) {
             bed.restore.refuse = true;
             bed.attempts_allowed = 1;
           }},
      {.title = "another architecture",
       .arrange =
           [](ResumeBed& bed) {
             bed.machine.architecture = "aarch64";
             bed.attempts_allowed = 1;
           }},
      {.title = "another page size",
       .arrange =
           [](ResumeBed& bed) {
             bed.machine.page_bytes = 16384;
             bed.attempts_allowed = 1;
           }},
      {.title = "another kernel where it must be the same",
       .disk =
           [] {
             ImageIdentity arm = kSaved;
             arm.architecture = "aarch64";
             return hibernated_disk({}, arm);
           },
       .arrange =
           [](ResumeBed& bed) {
             bed.machine.architecture = "aarch64";
             bed.machine.kernel_release = "6.12.48-arm64";
             bed.attempts_allowed = 1;
           }},
      {.title = "stopped by Backspace or a signal",
       .arrange = [](ResumeBed& bed) { bed.observer.stop_at_question = 0; }},
  };
}

MemoryBlockDevice sealed_disk() {
  ImageSeal seal = seal_with("open sesame");
  return hibernated_disk({}, kSaved, &seal);
}

std::vector<Scene> sealed_images() {
  const auto unopened = [](const Error& error) { return [error](ResumeBed& bed) { bed.unopened = error; }; };
  const Error wrong =
      fail(Errc::kWrongKey, "open sealed image").because("none of the 3 passphrases given opens it").error();
  const Error late =
      fail(Errc::kStopped, "ask for the passphrase").because("nobody answered within 60 s").error();
  return {
      {.title = "three wrong passphrases", .disk = sealed_disk, .arrange = unopened(wrong)},
      {.title = "three wrong passphrases: somebody presses d and Enter",
       .disk = sealed_disk,
       .arrange = unopened(wrong),
       .keys = "d\n"},
      {.title = "no passphrase in time: no countdown",
       .disk = sealed_disk,
       .arrange = unopened(late),
       .seconds = 0},
      {.title = "a key that does not fit, and nobody to ask",
       .disk = sealed_disk,
       .arrange =
           [](ResumeBed& bed) {
             bed.passphrase = "another";
             bed.attempts_allowed = 1;
           }},
  };
}

std::vector<Scene> refused_at_once() {
  return {
      {.title = "every try was used up before, and none came back to say why", .disk = tried(2)},
      {.title = "resumed already", .disk = in_state(ResumeState::kJumping)},
      {.title = "given up before", .disk = in_state(ResumeState::kGivenUp)},
      {.title = "never finished", .disk = [] { return with_header_page_of(std::byte{0}); }},
      {.title = "the image header is damaged", .disk = with_damaged_header},
      {.title = "the image header is damaged: somebody presses k and Enter",
       .disk = with_damaged_header,
       .keys = "k\n"},
      {.title = "the mark leads outside the device",
       .disk =
           [] {
             MemoryBlockDevice disk = saved_disk();
             put_integer(disk.mutable_bytes(0, 4096), 4068, std::uint64_t{1} << 60, 8);
             return disk;
           }},
      {.title = "the try cannot be counted", .fault = {.fail_at_call = 2}},
      {.title = "a stock kernel's image", .disk = [] { return marked({"S1SUSPEND\0", 10}); }},
      {.title = "an old kernel's image", .disk = [] { return marked({"S2SUSPEND\0", 10}); }},
      {.title = "LINHIB0001's image", .disk = [] { return marked("LINHIB0001"); }},
      {.title = "TuxOnIce's image",
       .disk =
           [] {
             MemoryBlockDevice disk = saved_disk();
             put_text_at(disk.mutable_bytes(0, 4096), 0, "\xed\xc3\x02\xe9\x98\x56\xe5\x0c");
             return disk;
           }},
      {.title = "uswsusp's image", .disk = [] { return with_header_page_of(std::byte{0x77}); }},
  };
}

std::vector<Scene> disks_that_fail() {
  // Such a boot reads all of the image, so that its calls are always the same. The last eight: state, flush,
  // mark, flush, to keep the image; then state, flush, clear, flush, to give the area back.
  const Scene refused{
      .title = "the jump is refused and the mark cannot be put on again",
      .disk = tried(1),
      .arrange = [](ResumeBed& bed) { bed.restore.refuse = true; },
  };
  const std::uint64_t calls = calls_of(refused);
  Scene not_kept = refused;
  not_kept.fault = {.fail_at_call = calls - 6};
  Scene not_given_back = refused;
  not_given_back.title = "the mark cannot be taken off, but the image can be noted as given up";
  not_given_back.fault = {.fail_at_call = calls - 2, .fail_for_ever = true};
  Scene read_only = refused;
  read_only.title = "nothing can be written any more";
  read_only.fault = {.fail_at_call = calls - 4, .fail_for_ever = true};
  return {not_kept, not_given_back, read_only};
}

std::string what_the_tool_says_where_it_cannot_open_the_area() {
  const Error unreadable =
      fail(Errc::kIo, "read swap header").os(EIO).on("/dev/vda2").at(0).because("").error();
  const Error busy = fail(Errc::kBusy, "open").os(EBUSY).on("/dev/vda2").error();
  return readable(
      fmt::format("== the swap header cannot be read\nresume: {}\n-- exit 1\n\n"
                  "== the area cannot be opened for writing\nresume: {}\nresume: {}\n-- exit 1\n",
                  boot_message::cannot_look(unreadable), boot_message::not_writable("/dev/vda2", busy),
                  boot_message::mark_stays("/dev/vda2")));
}

TEST(BootMessages, AreThoseOfTheGoldenFile) {
  const HangGuard guard;
  std::string all;
  for (const auto& scenes : {failed_tries(), sealed_images(), refused_at_once(), disks_that_fail()}) {
    for (const Scene& scene : scenes) all += play(scene);
  }
  all += what_the_tool_says_where_it_cannot_open_the_area();
  std::ostringstream golden;
  golden << std::ifstream(DORMOUSE_BOOT_MESSAGES).rdbuf();
  const std::string printed = ::testing::TempDir() + "boot_messages.txt";
  if (all != golden.str()) std::ofstream(printed) << all;
  EXPECT_TRUE(all == golden.str()) << "see diff " << DORMOUSE_BOOT_MESSAGES << " " << printed;
}

TEST(SilentConsole, SaysWhatItCanAndTakesTheDefault) {
  SilentConsole console("resume");
  ::testing::internal::CaptureStderr();
  console.say("something");
  EXPECT_EQ(console.ask(kDiscardOrKeep), BootConsole::Answer::kDefault);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "resume: something\n");
}

}  // namespace
}  // namespace dormouse::test
