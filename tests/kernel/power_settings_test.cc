#include "kernel/power_settings.h"

#include <gmock/gmock.h>

#include "kernel/text_file.h"
#include "support/faulty_system_calls.h"
#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PowerSettingsTest : public ::testing::Test {
 protected:
  TemporaryDirectory root_;
  SystemPaths paths_{.proc = root_.file("proc"), .sys = root_.file("sys"), .dev = root_.file("dev")};
};

TEST_F(PowerSettingsTest, DiskModes) {
  root_.write("sys/power/disk", "platform [shutdown] reboot suspend test_resume \n");
  const auto modes = read_disk_modes(paths_);
  ASSERT_TRUE(modes);
  EXPECT_THAT(modes->modes, ElementsAre("platform", "shutdown", "reboot", "suspend", "test_resume"));
  EXPECT_EQ(modes->current, "shutdown");
  EXPECT_TRUE(modes->available);
  EXPECT_TRUE(modes->platform());
  EXPECT_FALSE(parse_disk_modes("[shutdown] reboot").platform());
  EXPECT_FALSE(parse_disk_modes("[disabled]\n").available);
  EXPECT_FALSE(parse_disk_modes("").available);
}

TEST_F(PowerSettingsTest, AKernelWithoutHibernationIsImpossible) {
  EXPECT_EQ(read_disk_modes(paths_).error().code, Errc::kImpossible);
}

TEST_F(PowerSettingsTest, TextFilesAreReadWholeAndErrorsNamed) {
  const auto file = root_.write("long", std::string(10'000, 'x'));
  FaultySystemCalls calls;
  calls.limit_transfers(7);
  calls.faults().fail_name("pread", EINTR);
  EXPECT_EQ(read_text_file(file, calls).value().size(), 10'000U);
  EXPECT_THAT(write_text_file(file, "12345678", calls).error().what(), HasSubstr("only 7 of 8"));
  calls.faults().fail_name("pread", EIO);
  EXPECT_EQ(read_text_file(file, calls).error().errnum, EIO);
  EXPECT_EQ(write_text_file(root_.file("none"), "1").error().errnum, ENOENT);
  EXPECT_EQ(read_text_file(root_.write("big", std::string(std::size_t{1} << 20, 'x'))).error().code,
            Errc::kIo);
}

}  // namespace
}  // namespace dormouse::test
