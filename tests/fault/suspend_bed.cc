#include "fault/suspend_bed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <tuple>

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

std::pair<int, std::string> SuspendBed::suspend(SystemCalls& calls, std::vector<std::string>& warnings) {
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
  const auto evened = [&](std::string text) {
    const std::string here = directory_.path().string();
    text = std::regex_replace(text, std::regex(here + "/swap"), "/dev/swap");
    text = std::regex_replace(text, std::regex(here), "");
    return std::regex_replace(text, std::regex("at byte [0-9]+"), "at byte N");
  };
  for (const auto& warning : report.warnings) warnings.push_back(evened(warning));
  return {report.exit_code, report.error ? evened(report.error->what()) : std::string()};
}

bool SuspendBed::settings_are_as_before() const {
  const auto first = [](const std::string& text) { return text.substr(0, text.find_first_of("\t\n")); };
  return first(read_whole(directory_.file("sys/power/image_size"))) == kImageSize &&
         first(read_whole(directory_.file("proc/sys/kernel/printk"))) == "4";
}

SuspendAftermath SuspendBed::run(const CallFault& fault) {
  lay_out_files();
  const auto descriptors = count_entries("/proc/self/fd");
  const auto threads = count_entries("/proc/self/task");
  SnapshotCalls kernel(machine);
  kernel.on_preferred_size = [&](std::uint64_t bytes) {
    directory_.write("sys/power/image_size", fmt::format("{}\n", bytes));
  };
  FaultySystemCalls calls(kernel);
  calls.name_ioctls(&ioctl_name);
  calls.limit_transfers(transfer_limit);
  if (fault.times > 0 && fault.errnum != 0)
    calls.faults().fail_name_after(fault.name, fault.spared, fault.errnum, fault.times);

  SuspendAftermath after;
  std::tie(after.exit_code, after.message) = suspend(calls, after.warnings);
  after.calls = calls.faults().calls();
  const auto before = make_swap_page(kShape);
  const std::string header = read_header();
  after.header_as_before =
      header == std::string_view(reinterpret_cast<const char*>(before.data()), before.size());
  after.marked = header.substr(kShape.page_bytes - 10, 9) == "ULSUSPEND";

  const std::string where = fault.text() + ": " + after.message;
  const auto check = [&](const std::string& when) {
    check_nothing_is_left(kernel, when);
    EXPECT_EQ(count_entries("/proc/self/fd"), descriptors) << when;
    EXPECT_EQ(count_entries("/proc/self/task"), threads) << when;
  };
  check(where);
  // Only a file that fails for ever may stay changed, and then that is told.
  const bool told = std::ranges::any_of(after.warnings, [](const std::string& warning) {
    return warning.find("could not be put back") != std::string::npos;
  });
  EXPECT_NE(settings_are_as_before(), told) << where;
  EXPECT_TRUE(!told || fault.for_ever()) << where;

  const bool maybe_marked = after.message.find("THE MARK MAY STILL BE") != std::string::npos;
  if (try_again && !told && !maybe_marked) {
    std::vector<std::string> warnings;
    FaultySystemCalls sound(kernel);
    after.second = suspend(sound, warnings);
    check(where + ": second try");
    EXPECT_TRUE(settings_are_as_before()) << where;
    EXPECT_TRUE(warnings.empty()) << where << ": second try: " << warnings.front();
  }
  return after;
}

std::string SuspendBed::read_header() const {
  std::string header(kShape.page_bytes, '\0');
  std::ifstream(area_, std::ios::binary).read(header.data(), static_cast<std::streamsize>(header.size()));
  return header;
}

void SuspendBed::check_nothing_is_left(SnapshotCalls& kernel, const std::string& where) {
  EXPECT_FALSE(kernel.is_open()) << where;
  EXPECT_FALSE(kernel.saving().frozen()) << where;
  EXPECT_FALSE(kernel.saving().image_held()) << where;
  EXPECT_EQ(kernel.saving().slots_allocated(), 0U) << where;
}

}  // namespace dormouse::test
