#include "kernel/freeze_refusal.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "support/faulty_system_calls.h"
#include "support/temporary_directory.h"

namespace dormouse {
namespace {

// As 6.1 and 6.12 print it, without what is not read.
constexpr std::string_view kBegin = "6,812,40000000,-;Freezing user space processes\n";
constexpr std::string_view kFailed61 =
    "3,813,60000000,-;Freezing of tasks failed after 20.005 seconds (1 tasks refusing to freeze, "
    "wq_busy=0):\n";
constexpr std::string_view kFailed612 =
    "3,813,60000000,-;Freezing user space processes failed after 20.005 seconds (1 tasks refusing to freeze, "
    "wq_busy=0):\n";
constexpr std::string_view kTask =
    "6,814,60000010,-;task:cp              state:D stack:0     pid:812   ppid:400    flags:0x00000004\n";
constexpr std::string_view kTrace = "6,815,60000020,c;Call Trace:\n <TASK>\n";

TEST(FreezeRefusal, NamesTheTask) {
  for (const auto failed : {kFailed61, kFailed612}) {
    FreezeRefusal refusal;
    for (const auto record : {kBegin, failed, kTask, kTrace}) refusal.take(record);
    EXPECT_EQ(refusal.tasks(), "task cp (pid 812)");
    EXPECT_EQ(refusal.count(), 1U);
    EXPECT_FALSE(refusal.aborted());
  }
}

TEST(FreezeRefusal, NamesSeveralAndThenSaysThatThereAreMore) {
  FreezeRefusal refusal;
  refusal.take(kFailed612);
  refusal.take(kTask);
  refusal.take("6,1,1,-;task:Web Content     state:D stack:0     pid:99    ppid:1\n");
  EXPECT_EQ(refusal.tasks(), "tasks cp (pid 812), Web Content (pid 99)") << "a name may hold blanks";
  for (int i = 0; i < 9; ++i) refusal.take(kTask);
  EXPECT_EQ(refusal.count(), 11U);
  EXPECT_TRUE(refusal.tasks().ends_with("cp (pid 812) and others")) << refusal.tasks();
}

TEST(FreezeRefusal, CountsOnlyTheLastFreeze) {
  FreezeRefusal refusal;
  for (const auto record : {kBegin, kFailed61, kTask, kBegin}) refusal.take(record);
  EXPECT_EQ(refusal.count(), 0U);
  refusal.take(kTask);
  EXPECT_EQ(refusal.count(), 0U) << "a task in the log without a freeze that failed";
}

TEST(FreezeRefusal, KnowsAWakeUpEvent) {
  FreezeRefusal refusal;
  refusal.take(
      "3,813,60000000,-;Freezing of tasks aborted after 0.003 seconds (0 tasks refusing to freeze, "
      "wq_busy=0):\n");
  EXPECT_TRUE(refusal.aborted());
  EXPECT_EQ(refusal.count(), 0U);
}

TEST(FreezeRefusal, TakesAnyText) {
  FreezeRefusal refusal;
  refusal.take(kFailed61);
  for (const auto* record :
       {"", ";", "6,1,1,-;task:", "6,1,1,-;task:x", "6,1,1,-;task: state:D pid:", "task:a state:D pid:1"})
    refusal.take(record);
  EXPECT_EQ(refusal.count(), 0U);
}

TEST(KernelLogTail, ALogThatCannotBeReadIsNoError) {
  const test::TemporaryDirectory directory;
  KernelLogTail log({.paths = {.proc = "", .sys = "", .dev = directory.path()}});
  EXPECT_EQ(log.refusal().count(), 0U);
}

TEST(KernelLogTail, LeavesOutWhatWasThereBefore) {
  const test::TemporaryDirectory directory;
  // A file hands out as much as is asked for; what is appended later is a record of its own.
  const auto path = directory.write("kmsg", std::string(kFailed61));
  test::FaultySystemCalls calls;
  calls.faults().fail_name("readv", EPIPE, 3);
  KernelLogTail log({.paths = {.proc = "", .sys = "", .dev = directory.path()}, .calls = calls});
  std::ofstream(path, std::ios::app) << kTask;
  const FreezeRefusal refusal = log.refusal();
  EXPECT_EQ(refusal.count(), 0U) << "the freeze that failed was another";
  EXPECT_EQ(calls.faults().count("readv"), 7U)
      << "over the gaps, the old record, its end; the new one, its end";
  std::ofstream(path, std::ios::app) << kFailed61;
  EXPECT_EQ(log.refusal().count(), 0U) << "no task was named";
}

}  // namespace
}  // namespace dormouse
