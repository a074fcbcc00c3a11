/// resume in the initramfs: nothing of the saved system is mounted yet.
#include <cerrno>
#include <chrono>

#include "area/area_resolver.h"
#include "cycle/resume_policy.h"
#include "kernel/machine_info.h"
#include "kernel/mounted_file_systems.h"
#include "kernel/power.h"
#include "kernel/snapshot_file.h"
#include "machine_loader.h"
#include "marked_area.h"
#include "resume_tool.h"
#include "tool/area_search.h"
#include "tool/boot_console.h"
#include "tool/tool_console.h"
#include "tool/tool_report.h"

namespace dormouse {
namespace {

constexpr std::string_view kTool = "resume";

Result<void> say_and_fail(const Error& error) {
  complain(kTool, error.what());
  return std::unexpected(error);
}

/// udev and others open devices for a moment while a machine boots.
Result<MarkedArea> open_patiently(const TargetArea& target, const Settings& settings, const Host& host) {
  constexpr int kTries = 50;
  constexpr auto kPause = std::chrono::milliseconds(100);
  auto marked = open_target_with_mark(target, settings, Access::kReadWrite, host);
  for (int tries = 1; tries < kTries && !marked && marked.error().errnum == EBUSY; ++tries) {
    host.calls.pause(kPause);
    marked = open_target_with_mark(target, settings, Access::kReadWrite, host);
  }
  return marked;
}

/// There may be an image, but the area cannot be had for more than a look, or not even that.
Result<void> out_of_reach(const TargetArea& target, const Settings& settings, const Error& error,
                          const Host& host) {
  const auto look = open_target_with_mark(target, settings, Access::kReadOnly, host);
  if (!look && look.error().code == Errc::kNoImage) return {};  // somebody has just taken the mark off
  if (!look) {
    complain(kTool, boot_message::cannot_look(error));
    return std::unexpected(error);
  }
  if (look->opened.area->signature() != SwapSignature::kUserMark) {
    complain(kTool, boot_message::left_alone(look->target.path, describe(look->opened.area->signature())));
    return {};
  }
  complain(kTool, boot_message::not_writable(look->target.path, error));
  complain(kTool, boot_message::mark_stays(look->target.path));
  Error failed = error;
  failed.code = Errc::kIo;
  return std::unexpected(failed);
}

/// What has file systems mounted is no initramfs.
Result<void> require_nothing_mounted(const TargetArea& target, const Host& host) {
  const auto mounted = mounted_file_system(host);
  if (mounted && !*mounted) return {};
  return fail(Errc::kImpossible, "resume")
      .on(target.path)
      .because("{}", mounted ? boot_message::mounted_already(**mounted)
                             : boot_message::mounts_unknown(mounted.error()));
}

/// `tools`: null where `console` is all there is.
Result<void> decide(const Settings& settings, MarkedArea& marked, BootConsole& console, ToolConsole* tools,
                    Report& report, const Host& host) {
  MachineLoader loader(settings, marked, tools, report, host);
  LinuxPower power(host.calls);
  return resume_at_boot({.path = marked.target.path,
                         .area = *marked.opened.area,
                         .data = *marked.opened.data,
                         .bounds = bounds_of(marked),
                         .machine = {.page_bytes = system_page_bytes(),
                                     .architecture = machine_architecture(),
                                     .kernel_release = kernel_release(),
                                     .ram_bytes = report.ram_bytes},
                         .attempts_allowed = settings.resume_attempts,
                         .loader = loader,
                         .power = power,
                         .console = console});
}

}  // namespace

Result<void> resume_machine(const Settings& settings, Report& report, const Host& host) {
  const auto search = find_resume_area(named_area(settings), patient_search(kTool), host);
  if (search) return resume_from(search->target, settings, report, host, search->notes);
  const Error& error = search.error();
  if (error.code == Errc::kNoImage) {
    // Nothing was named and no disk holds an image: nothing to say, unless some could not be read.
    if (error.errnum != 0) complain(kTool, error.what());
    return {};
  }
  if (error.code == Errc::kImpossible) {
    // No swap area there: nothing was saved, but the name may be a slip. Booting goes on all the same.
    complain(kTool, error.what());
    return {};
  }
  return say_and_fail(error);
}

Result<void> resume_from(const TargetArea& target, const Settings& settings, Report& report, const Host& host,
                         const std::vector<std::string>& notes) {
  auto marked = open_patiently(target, settings, host);
  if (!marked) {
    const Error& error = marked.error();
    if (error.code == Errc::kNoImage) return {};
    if (error.code == Errc::kUsage) return say_and_fail(error);
    if (error.code != Errc::kImpossible) return out_of_reach(target, settings, error, host);
    complain(kTool, error.what());  // as above
    return {};
  }
  // Only now is there something to say.
  for (const std::string& note : notes) complain(kTool, note);
  add_area(report, marked->target);
  if (marked->opened.area->signature() == SwapSignature::kUserMark) {
    if (const auto refused = require_nothing_mounted(target, host); !refused)
      return say_and_fail(refused.error());
  }
  auto console = ToolConsole::open(kTool, progress_mode(settings.progress), KeyWatcher::Scope::kConsoles);
  if (!console) {
    SilentConsole silent(kTool);
    return decide(settings, *marked, silent, nullptr, report, host);
  }
  CountdownConsole asked(kTool, (*console)->out(), (*console)->prompt(), settings.resume_countdown);
  return decide(settings, *marked, asked, console->get(), report, host);
}

}  // namespace dormouse
