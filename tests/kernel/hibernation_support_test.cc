#include "kernel/hibernation_support.h"

#include <gmock/gmock.h>

#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;

class HibernationSupportTest : public ::testing::Test {
 protected:
  std::string why() {
    const auto reason = why_hibernation_is_unavailable(
        {.proc = root_.file("proc"), .sys = root_.file("sys"), .dev = root_.file("dev")});
    return reason.value_or("available");
  }
  TemporaryDirectory root_;
};

TEST_F(HibernationSupportTest, NamesTheCause) {
  EXPECT_THAT(why(), HasSubstr("built without hibernation"));
  root_.write("sys/power/disk", "[platform] shutdown reboot suspend test_resume \n");
  EXPECT_EQ(why(), "available");
  root_.write("sys/power/disk", "[disabled]\n");
  EXPECT_THAT(why(), HasSubstr("memfd_secret"));
  root_.write("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
  EXPECT_THAT(why(), HasSubstr("locked down (integrity)"));
  root_.write("proc/cmdline", "quiet hibernate=no\n");
  EXPECT_THAT(why(), HasSubstr("\"hibernate=no\""));
}

TEST_F(HibernationSupportTest, NoResumeDoesNotSwitchItOff) {
  root_.write("sys/power/disk", "[disabled]\n");
  root_.write("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
  root_.write("proc/cmdline", "hibernate=noresume noresume\n");
  EXPECT_THAT(why(), HasSubstr("memfd_secret"));
}

}  // namespace
}  // namespace dormouse::test
