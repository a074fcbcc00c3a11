/// s2disk on the live machine: everything is looked up, checked, allocated and locked before run_suspend()
/// freezes.
#include <sys/utsname.h>
#include <unistd.h>

#include "dormouse/suspend_cycle.h"

#include "kernel/console_loglevel.h"
#include "kernel/hibernation_support.h"
#include "kernel/linux_snapshot_device.h"
#include "kernel/memory_lock.h"
#include "kernel/power.h"
#include "kernel/power_settings.h"
#include "kernel/slot_allocator.h"
#include "suspend_tool.h"
#include "tool/target_area.h"
#include "tool/tool_console.h"
#include "tool/tool_report.h"

namespace dormouse {
namespace {

constexpr std::string_view kCheck = "check that hibernation is possible";

class PlainPower final : public MachinePower {
 public:
  Result<void> power_off() override { return power_off_machine(); }
  Result<void> restart() override { return restart_machine(); }
};

Result<void> require_hibernation() {
  if (::geteuid() != 0)
    return fail(Errc::kImpossible, kCheck).because("only root may hibernate the machine: run it with sudo");
  if (const auto why = why_hibernation_is_unavailable())
    return fail(Errc::kImpossible, kCheck).because("{}", *why);
  return {};
}

/// `platform` falls back to `shutdown` where the firmware has no hibernation state.
ShutdownMethod usable_method(ShutdownMethod asked, ToolConsole& console) {
  if (asked != ShutdownMethod::kPlatform) return asked;
  const auto modes = read_disk_modes();
  if (modes && modes->platform()) return asked;
  console.say("the firmware has no hibernation state; powering off plainly (--shutdown-method shutdown)");
  return ShutdownMethod::kShutdown;
}

/// An early no where not even a small image can fit.
Result<void> require_room(SwapAllocator& allocator, const TargetArea& target, std::uint32_t page_bytes) {
  constexpr std::uint64_t kLeastBytes = 4 * 1024 * 1024;
  const auto free = allocator.free_pages();
  if (!free) return std::unexpected(free.error());
  if (*free * page_bytes >= kLeastBytes) return {};
  return fail(Errc::kNoSpace, "check room in the swap area")
      .on(target.path)
      .because("{} bytes are free, {} are the least that any image needs; free some swap or add more",
               *free * page_bytes, kLeastBytes);
}

ImageIdentity identity_of(const utsname& machine, std::uint64_t ram_bytes) {
  ImageIdentity identity;
  identity.architecture = machine.machine;
  identity.kernel_release = machine.release;
  identity.host = machine.nodename;
  identity.writer = version_text();
  identity.ram_bytes = ram_bytes;
  return identity;
}

void fill_report(const SuspendOutcome& outcome, Report& report, std::uint64_t size_cap_bytes) {
  report.image = outcome.image;
  report.write = outcome.write;
  report.read = outcome.read;
  add_phases(report, outcome.phases);
  if (size_cap_bytes > 0 && outcome.image.bytes() > size_cap_bytes) {
    report.warnings.push_back(
        fmt::format("the image is {} bytes, above the cap of {}: the kernel could not make it smaller",
                    outcome.image.bytes(), size_cap_bytes));
  }
}

/// Everything is in place; what remains needs no memory.
Result<void> suspend_prepared(const Settings& settings, OpenArea& opened, LinuxSnapshotDevice& snapshot,
                              SwapAllocator& allocator, Report& report) {
  const std::uint32_t page_bytes = opened.area->page_bytes();
  const ImageOptions options = image_options(settings, page_bytes);
  auto writer = ImageWriter::prepare(options, page_bytes);
  if (!writer) return std::unexpected(writer.error());
  // Verifying needs as much again; the figures of the image header need next to nothing.
  auto reader = settings.verify ? ImageReader::prepare(options.chunk_bytes, options.threads)
                                : ImageReader::prepare(page_bytes, 1);
  if (!reader) return std::unexpected(reader.error());
  report.memory_bytes = writer->memory_bytes() + reader->memory_bytes();

  auto console = ToolConsole::open("s2disk", progress_mode(settings.progress), KeyWatcher::Scope::kConsoles);
  if (!console) return std::unexpected(console.error());
  const ShutdownMethod method = usable_method(settings.shutdown_method, **console);
  auto size_before = ImageSizeGuard::take();
  if (!size_before) return std::unexpected(size_before.error());
  std::optional<ConsoleLoglevel> loglevel;
  if (settings.suspend_loglevel) {
    auto set = ConsoleLoglevel::set(*settings.suspend_loglevel);
    if (!set) return std::unexpected(set.error());
    loglevel.emplace(std::move(*set));
  }
  utsname machine{};
  ::uname(&machine);
  PlainPower power;
  const SuspendRequest request{.method = method,
                               .verify = settings.verify,
                               .platform = method == ShutdownMethod::kPlatform,
                               .size_cap_bytes = settings.image_size.bytes(report.ram_bytes),
                               .identity = identity_of(machine, report.ram_bytes)};
  report.image.size_cap_bytes = request.size_cap_bytes;
  if ((*console)->keys_active() && settings.progress != ProgressMode::kNone) {
    (*console)->say("press Backspace to stop, r to choose reboot instead of power-off");
  }
  auto lock = MemoryLock::take();
  if (!lock) return std::unexpected(lock.error());
  const SuspendParts parts{.snapshot = snapshot,
                           .device = *opened.data,
                           .area = *opened.area,
                           .allocator = allocator,
                           .writer = *writer,
                           .reader = *reader,
                           .power = power,
                           .progress = (*console)->progress(),
                           .observer = **console};
  const auto outcome = run_suspend(parts, request);
  if (!outcome) return std::unexpected(outcome.error());
  fill_report(*outcome, report, request.size_cap_bytes);
  return size_before->restore();
}

}  // namespace

Result<void> suspend_machine(const Settings& settings, Report& report) {
  if (auto r = require_hibernation(); !r) return r;
  const auto target = find_area(
      {.resume_device = settings.resume_device, .resume_offset_pages = settings.resume_offset_pages},
      /*allow_file=*/false);
  if (!target) return std::unexpected(target.error());
  add_area(report, *target);
  auto opened = open_area(*target, settings.io, Access::kReadWrite, system_page_bytes());
  if (!opened) return std::unexpected(opened.error());
  if (auto r = require_plain(*opened->area, target->path); !r) return r;
  if (!target->active && target->header_page != 0) {
    return fail(Errc::kImpossible, "check swap area")
        .on(target->path)
        .because(
            "no swap file of this device is swapped on, and only the kernel knows where the file's other "
            "pages are: swapon it");
  }
  auto snapshot = LinuxSnapshotDevice::open({.path = settings.snapshot_device, .paths = {}, .page_bytes = 0});
  if (!snapshot) return std::unexpected(snapshot.error());
  std::unique_ptr<SwapAllocator> allocator;
  if (target->active) {
    if (auto r = (*snapshot)->set_swap_area(target->device_number, target->header_page); !r) return r;
    allocator = std::make_unique<SlotAllocator>(**snapshot);
  } else {
    allocator = make_free_layout_allocator(*opened->area);
  }
  if (auto r = require_room(*allocator, *target, opened->area->page_bytes()); !r) return r;
  return suspend_prepared(settings, *opened, **snapshot, *allocator, report);
}

}  // namespace dormouse
