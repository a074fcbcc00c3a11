#include "fault/boot_bed.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <regex>
#include <stdexcept>

#include "base/unique_fd.h"
#include "cycle/cycle_bed.h"
#include "kernel/machine_info.h"
#include "resume_tool.h"
#include "support/faulty_system_calls.h"
#include "support/snapshot_calls.h"
#include "tool/tool_report.h"

namespace dormouse::test {
namespace {

constexpr std::uint64_t kRamBytes = std::uint64_t{1} << 30;
constexpr std::string_view kInitramfs = "1 1 0:2 / / rw - rootfs rootfs rw\n";

}  // namespace

BootBed::BootBed() {
  settings.progress = ProgressMode::kNone;
  settings.threads = 1;
  settings.resume_countdown = 0;
  settings.snapshot_device = "/dev/snapshot";
  directory_.write("proc/self/mountinfo", kInitramfs);
  directory_.write("proc/meminfo", "MemAvailable: 65536 kB\n");
  disk_ = saved(kImagePages, nullptr);
  other_ = saved(kOtherPages, nullptr);
}

void BootBed::save_with(ImageSeal& seal) {
  disk_ = saved(kImagePages, &seal);
}

void BootBed::seal_other(ImageSeal& seal) {
  other_ = saved(kOtherPages, &seal);
}

std::string BootBed::saved(std::size_t pages, ImageSeal* seal) {
  const std::string architecture = machine_architecture();
  const std::string release = kernel_release();
  const MemoryBlockDevice disk = hibernated_disk(
      {.image_pages = pages},
      {.architecture = architecture, .kernel_release = release, .ram_bytes = kRamBytes}, seal);
  return {reinterpret_cast<const char*>(disk.bytes().data()), disk.bytes().size()};
}

void BootBed::write_area(std::string_view bytes) const {
  const UniqueFd area(::open(area_.c_str(), O_WRONLY | O_CLOEXEC));
  if (::pwrite(area.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("the area cannot be written");
}

void BootBed::mount(std::string_view mountinfo_line) {
  directory_.write("proc/self/mountinfo", std::string(kInitramfs) + std::string(mountinfo_line));
}

bool BootBed::is_marked() const {
  return read_whole(area_).substr(kMinPageBytes - 10, 9) == "ULSUSPEND";
}

BootAftermath BootBed::run(const CallFault& fault) {
  area_ = directory_.write("swap", disk_);
  const auto descriptors = count_entries("/proc/self/fd");
  const auto threads = count_entries("/proc/self/task");
  SnapshotCalls kernel;
  FaultySystemCalls calls(kernel);
  calls.name_ioctls(&ioctl_name);
  calls.limit_transfers(transfer_limit);
  std::atomic<std::uint64_t> reads = 0;
  calls.at_call = [&](std::string_view name) {
    if (name == "pread" && reads++ == turns_at_) write_area(other_);
  };
  if (fault.errnum != 0) calls.faults().fail_name_after(fault.name, fault.spared, fault.errnum, fault.times);
  BootAftermath after;
  kernel.restoring().at_jump = [&] {
    after.jumped = true;
    after.loaded_pages = kernel.restoring().loaded().size() / kMinPageBytes;
    after.marked_at_jump = is_marked();
  };
  calls.at_reboot = [&] {
    after.restarted = true;
    after.marked_at_restart = is_marked();
  };
  const TargetArea target{
      .path = area_, .header_page = 0, .device_number = 0, .active = false, .regular_file = true};
  const Host host{.paths = {.proc = directory_.file("proc"),
                            .sys = directory_.file("sys"),
                            .dev = directory_.file("dev")},
                  .calls = calls};
  Report report;
  report.ram_bytes = kRamBytes;
  CapturedStderr captured;
  const auto done = resume_from(target, settings, report, host);
  if (!done) report.set_failure(done.error());
  after.said = std::regex_replace(captured.take(), std::regex(directory_.path().string()), "");

  after.exit_code = report.exit_code;
  if (report.error) {
    after.message = std::regex_replace(report.error->what(), std::regex(directory_.path().string() + "/swap"),
                                       "/dev/swap");
    after.message = std::regex_replace(after.message, std::regex(directory_.path().string()), "");
    after.message = std::regex_replace(after.message, std::regex("at byte [0-9]+"), "at byte N");
  }
  after.calls = calls.faults().calls();
  after.marked = is_marked();
  const std::string where = fault.text() + ": " + after.message;
  EXPECT_FALSE(kernel.is_open()) << where;
  EXPECT_FALSE(kernel.restoring().frozen()) << where;
  EXPECT_FALSE(kernel.restoring().leaks()) << where;
  EXPECT_EQ(count_entries("/proc/self/fd"), descriptors + 2) << where << " (two are this test's own)";
  EXPECT_EQ(count_entries("/proc/self/task"), threads) << where;
  return after;
}

}  // namespace dormouse::test
