#include "kernel/power.h"

#include <gmock/gmock.h>

#include "support/faulty_system_calls.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;

TEST(Power, ComingBackIsAFailure) {
  FaultySystemCalls calls;  // never reboots
  EXPECT_THAT(power_off_machine(calls).error().what(), HasSubstr("returned without doing it"));
  calls.faults().fail_name("reboot", EPERM);
  const auto r = restart_machine(calls);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().errnum, EPERM);
  EXPECT_EQ(r.error().operation, "restart");
  EXPECT_EQ(calls.faults().calls().size(), 2U) << "nothing else is called, above all no sync";
}

TEST(LinuxPower, AsksForTheOneEndAndSaysWhyItIsStillHere) {
  FaultySystemCalls calls;
  calls.faults().fail_name("reboot", EPERM, 2);
  LinuxPower power(calls);
  EXPECT_EQ(power.restart().error().operation, "restart");
  EXPECT_EQ(power.power_off().error().operation, "power off");
  EXPECT_EQ(calls.faults().calls().size(), 2U);
}

}  // namespace
}  // namespace dormouse::test
