#include "fault/suspend_bed.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "suspend_tool.h"
#include "swap/swap_disk.h"
#include "tool/tool_report.h"

namespace dormouse::test {
namespace {

const SwapShape kShape{.last_page = 2047};
constexpr std::string_view kImageSize = "123456789";
constexpr std::string_view kPrintk = "4\t4\t1\t7\n";

}  // namespace

SuspendBed::SuspendBed() {
  machine.image_pages = 200;
  machine.swap_pages = kShape.last_page + 1;
  settings.progress = ProgressMode::kNone;
  settings.threads = 1;
  settings.early_writeout = {.millionths = 0};
  settings.codec.automatic = false;
  settings.codec.spec = {.id = CodecId::kLz4, .level = 1};
  settings.shutdown_method = ShutdownMethod::kPlatform;
  settings.suspend_loglevel = 2;
  settings.snapshot_device = "/dev/snapshot";
}

void SuspendBed::lay_out_files() {
  directory_.write("sys/power/disk", "[platform] shutdown reboot suspend\n");
  directory_.write("sys/power/image_size", kImageSize);
  directory_.write("proc/sys/kernel/printk", kPrintk);
  const auto page = make_swap_page(kShape);
  area_ = directory_.write("swap", {reinterpret_cast<const char*>(page.data()), page.size()});
  std::filesystem::resize_file(area_, (std::uintmax_t{kShape.last_page} + 1) * kShape.page_bytes);
}

SuspendAftermath SuspendBed::run(const CallFault& fault) {
  lay_out_files();
  const auto descriptors = count_entries("/proc/self/fd");
  const auto threads = count_entries("/proc/self/task");
  SnapshotCalls kernel(machine);
  FaultySystemCalls calls(kernel);
  calls.name_ioctls(&ioctl_name);
  calls.limit_transfers(transfer_limit);
  if (fault.times > 0 && fault.errnum != 0)
    calls.faults().fail_name_after(fault.name, fault.spared, fault.errnum, fault.times);

  const TargetArea target{.path = area_,
                          .header_page = 0,
                          .device_number = machine.swap_device,
                          .active = true,
                          .regular_file = true};
  const Host host{.paths = {.proc = directory_.file("proc"),
                            .sys = directory_.file("sys"),
                            .dev = directory_.file("dev")},
                  .calls = calls};
  Report report;
  report.ram_bytes = std::uint64_t{1} << 30;
  const auto done = suspend_to(target, settings, report, host);
  if (!done) report.set_failure(done.error());

  SuspendAftermath after;
  after.exit_code = report.exit_code;
  if (report.error) {
    after.message = std::regex_replace(report.error->what(), std::regex(directory_.path().string() + "/swap"),
                                       "/dev/swap");
    after.message = std::regex_replace(after.message, std::regex(directory_.path().string()), "");
    after.message = std::regex_replace(after.message, std::regex("at byte [0-9]+"), "at byte N");
  }
  after.warnings = report.warnings;
  after.calls = calls.faults().calls();
  const std::string header = read_whole(area_).substr(0, kShape.page_bytes);
  const auto before = make_swap_page(kShape);
  after.header_as_before =
      header == std::string_view(reinterpret_cast<const char*>(before.data()), before.size());
  after.marked = header.substr(kShape.page_bytes - 10, 9) == "ULSUSPEND";

  const std::string where = fault.text();
  check_nothing_is_left(kernel, where + ": " + after.message);
  EXPECT_EQ(count_entries("/proc/self/fd"), descriptors) << where;
  EXPECT_EQ(count_entries("/proc/self/task"), threads) << where;
  // A fault of the file itself cannot be undone; everything else has to put it back.
  if (fault.name != "pwrite" && fault.name != "open") {
    EXPECT_EQ(read_whole(directory_.file("sys/power/image_size")), kImageSize) << where;
    EXPECT_TRUE(read_whole(directory_.file("proc/sys/kernel/printk")).starts_with("4")) << where;
  }
  return after;
}

void SuspendBed::check_nothing_is_left(SnapshotCalls& kernel, const std::string& where) {
  EXPECT_FALSE(kernel.is_open()) << where;
  EXPECT_FALSE(kernel.saving().frozen()) << where;
  EXPECT_FALSE(kernel.saving().image_held()) << where;
  EXPECT_EQ(kernel.saving().slots_allocated(), 0U) << where;
}

}  // namespace dormouse::test
