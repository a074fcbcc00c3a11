#include "kernel/machine_info.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "kernel/snapshot_file.h"
#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

TEST(MachineInfo, MemoryIsWhatTheKernelManages) {
  const TemporaryDirectory root;
  const SystemPaths paths{.proc = root.file("proc")};
  root.write("proc/meminfo", "MemTotal:         496388 kB\nMemFree:          123 kB\n");
  EXPECT_EQ(total_ram_bytes(paths).value(), 496388U * 1024);
  root.write("proc/meminfo", "MemFree:          123 kB\n");
  EXPECT_FALSE(total_ram_bytes(paths));
  root.write("proc/meminfo", "MemTotal: some kB\n");
  EXPECT_FALSE(total_ram_bytes(paths));
}

TEST(MachineInfo, MemoryThatCanBeHadIsAFigureOfItsOwn) {
  const TemporaryDirectory root;
  const SystemPaths paths{.proc = root.file("proc")};
  root.write("proc/meminfo", "MemTotal:  496388 kB\nMemFree:  123 kB\nMemAvailable:   200000 kB\n");
  EXPECT_EQ(available_ram_bytes(paths).value(), 200000U * 1024);
  root.write("proc/meminfo", "MemTotal:         496388 kB\n");
  const auto missing = available_ram_bytes(paths);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().what().find("it does not say MemAvailable"), std::string::npos);
}

TEST(MachineInfo, ThisMachineAnswers) {
  EXPECT_GT(available_ram_bytes().value(), 0U);
  EXPECT_GT(total_ram_bytes().value(), std::uint64_t{1} << 24);
  EXPECT_FALSE(kernel_release().empty());
  EXPECT_FALSE(machine_architecture().empty());
  EXPECT_GE(usable_cpus(), 1U);
  EXPECT_EQ(system_page_bytes(), static_cast<std::uint32_t>(::getpagesize()));
}

}  // namespace
}  // namespace dormouse::test
