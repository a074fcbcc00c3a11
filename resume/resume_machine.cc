/// resume in the initramfs: nothing of the saved system is mounted yet.
#include <unistd.h>

#include "dormouse/resume_cycle.h"

#include "kernel/linux_restore_device.h"
#include "kernel/machine_info.h"
#include "kernel/memory_lock.h"
#include "kernel/snapshot_file.h"
#include "marked_area.h"
#include "resume_tool.h"
#include "tool/tool_console.h"
#include "tool/tool_report.h"

namespace dormouse {
namespace {

/// An image of another kind of machine would be refused by the kernel, after a long load and with fewer
/// words.
Result<void> require_same_machine(const ImageInfo& info, const std::string& path) {
  const auto refuse = [&] { return fail(Errc::kImpossible, "check image").on(path); };
  if (info.image.page_bytes != system_page_bytes()) {
    return refuse().because("it has pages of {} bytes, this kernel has pages of {}; the image is kept",
                            info.image.page_bytes, system_page_bytes());
  }
  if (info.architecture != machine_architecture()) {
    return refuse().because("it was saved by a machine of architecture {}, this is {}; the image is kept",
                            info.architecture, machine_architecture());
  }
  return {};
}

}  // namespace

Result<bool> resume_machine(const Settings& settings, Report& report) {
  auto marked = open_marked_area(settings, Access::kReadWrite, /*allow_file=*/false);
  if (!marked) {
    if (marked.error().code == Errc::kNoImage) return true;
    // No swap area there: nothing was saved, but the name may be a slip. Booting goes on all the same.
    if (marked.error().code != Errc::kImpossible) return std::unexpected(marked.error());
    complain("resume", marked.error().what());
    return false;
  }
  add_area(report, marked->target);
  auto console = ToolConsole::open("resume", progress_mode(settings.progress), KeyWatcher::Scope::kConsoles);
  if (!console) return std::unexpected(console.error());
  if (!marked->reader) {
    (*console)->say("{} holds {}: left alone", marked->target.path, marked->foreign);
    return false;
  }
  const ImageInfo info = marked->reader->info();
  report_image(info, report);
  if (auto r = require_same_machine(info, marked->target.path); !r) return std::unexpected(r.error());

  auto reader = prepare_reader(*marked, worker_threads(settings.threads));
  if (!reader) return std::unexpected(reader.error());
  report.memory_bytes = reader->memory_bytes();
  auto restore = LinuxRestoreDevice::open({.path = settings.snapshot_device, .paths = {}, .page_bytes = 0});
  if (!restore) return std::unexpected(restore.error());
  auto lock = MemoryLock::take();
  if (!lock) return std::unexpected(lock.error());
  const ResumeParts parts{.restore = **restore,
                          .area = *marked->opened.area,
                          .reader = *reader,
                          .progress = (*console)->progress(),
                          .observer = **console};
  auto failed = run_resume(parts);
  return std::unexpected(failed.error());
}

}  // namespace dormouse
