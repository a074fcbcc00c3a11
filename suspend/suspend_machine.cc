/// s2disk on the live machine: everything is looked up, checked, allocated and locked before run_suspend()
/// freezes.
#include <sys/utsname.h>
#include <unistd.h>

#include "dormouse/suspend_cycle.h"

#include "area/area_resolver.h"
#include "cycle/save_plan.h"
#include "kernel/hibernation_support.h"
#include "kernel/kept_setting.h"
#include "kernel/linux_snapshot_device.h"
#include "kernel/memory_lock.h"
#include "kernel/power.h"
#include "kernel/power_settings.h"
#include "kernel/slot_allocator.h"
#include "suspend_tool.h"
#include "tool/area_search.h"
#include "tool/target_area.h"
#include "tool/tool_console.h"
#include "tool/tool_report.h"

namespace dormouse {
namespace {

constexpr std::string_view kCheck = "check that hibernation is possible";

Result<void> require_hibernation(const Host& host) {
  if (::geteuid() != 0)
    return fail(Errc::kImpossible, kCheck).because("only root may hibernate the machine: run it with sudo");
  if (const auto why = why_hibernation_is_unavailable(host.paths, host.calls))
    return fail(Errc::kImpossible, kCheck).because("{}", *why);
  return {};
}

/// `platform` falls back to `shutdown` where the firmware has no hibernation state.
ShutdownMethod usable_method(ShutdownMethod asked, ToolConsole& console, const Host& host) {
  if (asked != ShutdownMethod::kPlatform) return asked;
  const auto modes = read_disk_modes(host.paths, host.calls);
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
  report.codecs = outcome.codecs;
  report.write = outcome.write;
  report.read = outcome.read;
  add_phases(report, outcome.phases);
  if (size_cap_bytes > 0 && outcome.image.bytes() > size_cap_bytes) {
    report.warnings.push_back(
        fmt::format("the image is {} bytes, above the cap of {}: the kernel could not make it smaller",
                    outcome.image.bytes(), size_cap_bytes));
  }
}

/// The machine, the area and what talks to the user, all open and checked.
struct Session {
  const Settings& settings;
  const Host& host;
  OpenArea& opened;
  LinuxSnapshotDevice& snapshot;
  SwapAllocator& allocator;
  ToolConsole& console;
  Report& report;
  ImageSeal* seal;  ///< null: in the clear
};

/// What became of one try, and of the room for it.
struct TryResult {
  Result<SuspendOutcome> outcome;
  std::optional<RoomShortage> shortage;
};

/// One suspend from preparing its memory to the thaw.
Result<TryResult> try_once(const Session& session, const SavePlan& plan, ShutdownMethod method) {
  const std::uint32_t page_bytes = session.opened.area->page_bytes();
  ImageOptions options = image_options(session.settings, page_bytes);
  options.adaptive = plan.adaptive;
  options.codec = plan.codec;
  options.foresee_shortage = plan.foresee_shortage;
  auto writer = ImageWriter::prepare(options, page_bytes, session.seal);
  if (!writer) return std::unexpected(writer.error());
  // Verifying needs as much again; the figures of the image header need next to nothing.
  const auto cipher = session.seal != nullptr ? std::optional(session.seal->cipher()) : std::nullopt;
  auto reader = session.settings.verify
                    ? ImageReader::prepare(options.chunk_bytes, options.threads, 0, cipher)
                    : ImageReader::prepare(page_bytes, 1);
  if (!reader) return std::unexpected(reader.error());
  session.report.memory_bytes = writer->memory_bytes() + reader->memory_bytes();
  session.report.image.size_cap_bytes = plan.size_cap_bytes;
  session.report.settings.codec = plan.adaptive ? "auto" : codec_name(plan.codec.id);
  session.report.settings.level = plan.adaptive ? 0 : plan.codec.level;

  utsname machine{};
  ::uname(&machine);
  LinuxPower power(session.host.calls);
  const SuspendRequest request{.method = method,
                               .verify = session.settings.verify,
                               .platform = method == ShutdownMethod::kPlatform,
                               .size_cap_bytes = plan.size_cap_bytes,
                               .identity = identity_of(machine, session.report.ram_bytes)};
  const SuspendParts parts{.snapshot = session.snapshot,
                           .device = *session.opened.data,
                           .area = *session.opened.area,
                           .allocator = session.allocator,
                           .writer = *writer,
                           .reader = *reader,
                           .power = power,
                           .progress = session.console.progress(),
                           .observer = session.console,
                           .seal = session.seal};
  // Last, so that all of the above is locked and the reserve of the heap still there.
  auto lock = MemoryLock::take(session.host.calls);
  if (!lock) return std::unexpected(lock.error());
  return TryResult{.outcome = run_suspend(parts, request), .shortage = writer->shortage()};
}

/// Tries again, with what the first failure taught, where that makes sense.
Result<void> try_until_saved(const Session& session, ShutdownMethod method) {
  SavePlan plan{.adaptive = session.settings.codec.automatic,
                .codec = session.settings.codec.spec,
                .size_cap_bytes = session.settings.image_size.bytes(session.report.ram_bytes)};
  for (unsigned tries = 1;; ++tries) {
    auto tried = try_once(session, plan, method);
    if (!tried) return std::unexpected(tried.error());
    if (tried->outcome) {
      fill_report(*tried->outcome, session.report, plan.size_cap_bytes);
      return {};
    }
    const Error& error = tried->outcome.error();
    const auto next = next_try(plan, error, tried->shortage, session.opened.area->page_bytes(), tries);
    if (!next) return std::unexpected(error);
    if (session.console.stop_requested())
      return fail(Errc::kStopped, "suspend")
          .because("stopped by the user after a try that failed: {}", error.what());
    session.console.say("{}", next->reason.view());
    session.report.warnings.emplace_back(next->reason.view());
    plan = next->plan;
  }
}

/// A setting that stays changed is a warning, however the rest ended: it is no reason to call a saved system
/// lost, nor to hide why one was not.
void put_back(KeptSetting& setting, const Session& session) {
  const auto trouble = setting.put_back();
  if (!trouble) return;
  session.console.say("{}", *trouble);
  session.report.warnings.push_back(*trouble);
}

/// Changes settings of the whole system, saves, and puts the settings back.
Result<void> suspend_prepared(const Session& session) {
  const Settings& settings = session.settings;
  const Host& host = session.host;
  const ShutdownMethod method = usable_method(settings.shutdown_method, session.console, host);
  auto image_size = keep_image_size(host.paths, host.calls);
  if (!image_size) return std::unexpected(image_size.error());
  std::optional<KeptSetting> loglevel;
  if (settings.suspend_loglevel) {
    auto set = set_console_loglevel(*settings.suspend_loglevel, host.paths, host.calls);
    if (!set) return std::unexpected(set.error());
    loglevel.emplace(std::move(*set));
  }
  if (session.console.keys_active() && settings.progress != ProgressMode::kNone) {
    session.console.say("press Backspace to stop, r to choose reboot instead of power-off");
  }
  const auto done = try_until_saved(session, method);
  put_back(*image_size, session);
  if (loglevel) put_back(*loglevel, session);
  return done;
}

}  // namespace

Result<void> suspend_machine(const Settings& settings, Report& report, const Host& host) {
  if (auto r = require_hibernation(host); !r) return r;
  SearchOptions options = patient_search("s2disk");
  options.sealed_image = settings.encrypt.on;
  const auto search = find_area(named_area(settings), options, host);
  if (!search) return std::unexpected(search.error());
  tell("s2disk", *search);
  return suspend_to(search->target, settings, report, host);
}

Result<void> suspend_to(const TargetArea& target, const Settings& settings, Report& report,
                        const Host& host) {
  add_area(report, target);
  auto opened = open_area(target, settings.io, Access::kReadWrite, system_page_bytes(), host);
  if (!opened) return std::unexpected(opened.error());
  if (auto r = require_plain(*opened->area, target.path); !r) return r;
  if (auto r = require_known_pages(target); !r) return r;
  // A person may take their time, and an open snapshot device holds up the rest of the machine.
  auto seal = prepare_seal(settings, host, report);
  if (!seal) return std::unexpected(seal.error());
  auto snapshot = LinuxSnapshotDevice::open(
      {.path = settings.snapshot_device, .paths = host.paths, .page_bytes = 0}, host.calls);
  if (!snapshot) return std::unexpected(snapshot.error());
  std::unique_ptr<SwapAllocator> allocator;
  if (target.active) {
    if (auto r = (*snapshot)->set_swap_area(target.device_number, target.header_page); !r) return r;
    allocator = std::make_unique<SlotAllocator>(**snapshot);
  } else {
    allocator = make_free_layout_allocator(*opened->area);
  }
  if (auto r = require_room(*allocator, target, opened->area->page_bytes()); !r) return r;
  auto console = ToolConsole::open("s2disk", progress_mode(settings.progress), KeyWatcher::Scope::kConsoles);
  if (!console) return std::unexpected(console.error());
  auto done = suspend_prepared({.settings = settings,
                                .host = host,
                                .opened = *opened,
                                .snapshot = **snapshot,
                                .allocator = *allocator,
                                .console = **console,
                                .report = report,
                                .seal = *seal ? &**seal : nullptr});
  // However it ended, and also in the machine that woke up.
  seal->reset();
  // Thaws what could not be thawed before; only then may the console wait for somebody who reads.
  snapshot->reset();
  (*console)->thawed();
  return done;
}

}  // namespace dormouse
