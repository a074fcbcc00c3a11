#include "check/processes.h"

#include <gmock/gmock.h>

#include "check/sound_tree.h"

namespace dormouse::test {
namespace {

TEST(Processes, AreListedByNumber) {
  const SoundTree tree;
  tree.process(30, "b");
  tree.process(4, "a");
  tree.write("proc/net/dev", "");
  const auto processes = all_processes(tree.host);
  ASSERT_EQ(processes.size(), 3U);
  EXPECT_EQ(list_of(processes), "init (pid 1), a (pid 4), b (pid 30)");
}

TEST(Processes, OfManyOnlyTheFirstAreNamed) {
  EXPECT_EQ(list_of({{1, "a"}, {2, ""}, {3, "c\n"}, {4, "d"}, {5, "e"}, {6, "f"}}),
            "a (pid 1), a process (pid 2), c? (pid 3), d (pid 4) and 2 more");
  EXPECT_EQ(list_of({}), "");
}

TEST(Processes, HoldersAreFoundByTheirLinks) {
  const SoundTree tree;
  tree.process(7, "x");
  tree.link("proc/7/fd/0", "/dev/null");
  tree.link("proc/7/fd/1", "/dev/snapshot");
  tree.process(8, "y");
  tree.link("proc/8/fd/0", "/dev/snapshot2");
  const auto holders = holders_of([](std::string_view link) { return link == "/dev/snapshot"; }, tree.host);
  EXPECT_EQ(list_of(holders), "x (pid 7)");
}

TEST(Processes, AMappedNameMayHoldBlanks) {
  const SoundTree tree;
  tree.write("proc/1/maps", "10-20 rw-p 0 00:00 0\n20-30 rw-s 00000000 00:0f 9        /a b (deleted)\n");
  EXPECT_EQ(mappers_of([](std::string_view name) { return name == "/a b (deleted)"; }, tree.host).size(), 1U);
  EXPECT_EQ(mappers_of([](std::string_view name) { return name == "/a"; }, tree.host).size(), 0U);
}

}  // namespace
}  // namespace dormouse::test
